// cli/exit.h -- what the exit code says.
#pragma once

namespace conclave {

enum class Exit : int {
    ok = 0,
    violated = 1,        // a property does not hold, a scenario differs
    no = 1,              // `leader --is`, `alive`: no
    usage = 64,          // the command line is wrong
    no_input = 66,       // a file that cannot be read
    unreachable = 69,    // no node answers
    internal = 70,       // our fault
    cannot_create = 73,  // a file that cannot be written
    files = 74,          // a state directory, its disk, certificate files
    not_yet = 75,        // no leader, not elected, refused for now; stopped by a limit
    mismatch = 76,       // a node of another version, or something that is no node
    refused = 77,        // not let in: TLS, permissions
    config = 78,         // the configuration is wrong
    lost = 79,           // leadership or lock lost, the child was stopped
};

}  // namespace conclave
