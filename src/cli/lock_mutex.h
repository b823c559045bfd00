// cli/lock_mutex.h -- `conclave lock --mutex`: in the critical section of a classic algorithm.
#pragma once
#include "cli/ask.h"
#include "cli/exit.h"
#include "cli/lock.h"

namespace conclave {

// The mutex is the lock; the name is for people, and in the command's environment.
Exit lock_mutex(const Terminal& terminal, const Endpoint& endpoint, const LockOptions& options);

}  // namespace conclave
