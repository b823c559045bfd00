// library/signals.h -- keeps signals off the threads that are started meanwhile: they are for the
// application's own. A broken pipe is a failed write there.
#pragma once
#include <csignal>

namespace conclave {

class SignalsKeptOff {
public:
    SignalsKeptOff() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsKeptOff() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsKeptOff(const SignalsKeptOff&) = delete;
    SignalsKeptOff& operator=(const SignalsKeptOff&) = delete;

private:
    sigset_t before_;
};

}  // namespace conclave
