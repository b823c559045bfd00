// wire/fuzz/garcia_molina.cc -- what Garcia-Molina's election says and keeps.
#include "elect/garcia_molina.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<GarciaMolina>(input); }
std::vector<Seed> seeds() { return machine_seeds<GarciaMolina>(); }

}  // namespace conclave::wire::fuzz
