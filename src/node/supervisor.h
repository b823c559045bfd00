// node/supervisor.h -- systemd, if it started us: when we are ready, and that we are alive.
//
// The protocol is one datagram on a socket named in the environment, so no library is needed; where
// nobody asked, every call does nothing.
#pragma once
#include <string>

namespace conclave::node {

class Supervisor {
public:
    Supervisor();

    void ready() const { say("READY=1"); }
    void alive() const { say("WATCHDOG=1"); }
    void stopping() const { say("STOPPING=1"); }

private:
    void say(const char* what) const;

    std::string socket_;  // empty: nobody asked
};

}  // namespace conclave::node
