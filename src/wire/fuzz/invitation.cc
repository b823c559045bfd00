// wire/fuzz/invitation.cc -- what the invitation algorithm says and keeps.
#include "elect/invitation.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<Invitation>(input); }
std::vector<Seed> seeds() { return machine_seeds<Invitation>(); }

}  // namespace conclave::wire::fuzz
