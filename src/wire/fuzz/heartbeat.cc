// wire/fuzz/heartbeat.cc -- what the heartbeat detector says.
#include "detect/heartbeat.h"

#include "wire/fuzz/machine.h"

namespace conclave::wire::fuzz {

bool examine(ByteView input) { return examine_machine<Heartbeat>(input); }
std::vector<Seed> seeds() { return machine_seeds<Heartbeat>(); }

}  // namespace conclave::wire::fuzz
