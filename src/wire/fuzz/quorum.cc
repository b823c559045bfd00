// wire/fuzz/quorum.cc -- what the quorum election says and keeps.
#include "elect/quorum.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<Quorum>(input); }
std::vector<Seed> seeds() { return machine_seeds<Quorum>(); }

}  // namespace conclave::wire::fuzz
