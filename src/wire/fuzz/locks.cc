// wire/fuzz/locks.cc -- what clients of the lock service say, members or not.
#include "service/locks.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<Locks>(input); }
std::vector<Seed> seeds() { return machine_seeds<Locks>(); }

}  // namespace conclave::wire::fuzz
