// wire/fuzz/maekawa.cc -- what Maekawa's mutual exclusion says and keeps.
#include "mutex/maekawa.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<Maekawa>(input); }
std::vector<Seed> seeds() { return machine_seeds<Maekawa>(); }

}  // namespace conclave::wire::fuzz
