// cli/exit.h -- what the exit code says.
#pragma once

namespace conclave {

enum class Exit : int {
    ok = 0,
    violated = 1,        // a property does not hold, a scenario differs
    usage = 64,          // the command line is wrong
    no_input = 66,       // a file that cannot be read
    internal = 70,       // our fault
    cannot_create = 73,  // a file that cannot be written
    not_yet = 75,        // stopped by a limit before there was an answer
};

}  // namespace conclave
