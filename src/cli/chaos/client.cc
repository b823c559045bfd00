// cli/chaos/client.cc -- for the tests: an application that asks for locks, holds them for a while
// and notes everything, until SIGTERM ends it politely or somebody kills it.
//
//     client NOTES SEED ENDPOINT...
//
// What the notes mean, and why they bear the clocks that they bear: lock_history_test.h.
#include "conclave/client.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "net/clock.h"
#include "sim/dice.h"

namespace conclave {
namespace {

using namespace std::chrono_literals;

class Notes {
public:
    explicit Notes(const char* path)
        : file_(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644)) {
        if (file_ < 0) throw std::invalid_argument(std::string("cannot write ") + path);
    }
    ~Notes() { ::close(file_); }
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;

    void add(Instant when, const std::string& what) {
        std::string line = std::to_string(when.time_since_epoch().count());
        line.append(" ").append(what).append("\n");
        if (::write(file_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            throw std::runtime_error("a note is lost");
    }

private:
    int file_;
};

struct Wish {
    const char* lock;
    LockTerms terms;
    const char* word;
};
constexpr std::array wishes{
    Wish{"press", {}, "exclusive"},           Wish{"press", {}, "exclusive"},
    Wish{"ledger", {}, "exclusive"},          Wish{"book", {}, "exclusive"},
    Wish{"book", {.shared = true}, "shared"}, Wish{"book", {.shared = true}, "shared"},
    Wish{"desk", {.slots = 3}, "slots:3"},    Wish{"desk", {.slots = 3}, "slots:3"},
};

class Application {
public:
    Application(const char* notes, std::uint64_t seed, std::vector<std::string> endpoints)
        : notes_(notes), dice_(seed), client_({.endpoints = std::move(endpoints)}) {}

    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const Wish& wish = wishes[dice_.below(wishes.size())];
            notes_.add(net::now(), std::string("asked ") + wish.lock + " " + wish.word);
            const auto held = take(client_.lock(wish.lock, wish.terms), stop);
            const Instant now = net::now();
            notes_.add(now, held ? "granted " + to_string(held->token()) : "nothing");
            if (held) hold(*held);
            std::this_thread::sleep_for(dice_.between(0ms, 50ms));
        }
    }

private:
    // Most wait as long as it takes; some are in a hurry.
    std::optional<Held> take(Lock lock, const std::stop_token& stop) {
        if (dice_.chance(0.1)) return lock.try_lock();
        if (dice_.chance(0.2)) return lock.lock_for(dice_.between(1ms, 2s));
        return lock.lock(stop);
    }
    void hold(const Held& lock) {
        const bool long_work = dice_.chance(0.05);
        const Instant end = net::now() + dice_.between(0ms, long_work ? 2s : 100ms);
        for (;;) {
            const Instant before = net::now();
            if (!lock.held()) return;
            notes_.add(before, "held");
            if (before >= end) return;
            std::this_thread::sleep_for(5ms);
        }
    }

    Notes notes_;
    Dice dice_;
    Client client_;
};

// SIGTERM stops a wait as well. Blocked in every thread, so that only this one is told.
class Termination {
public:
    Termination() {
        ::sigemptyset(&signals_);
        ::sigaddset(&signals_, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
        std::thread([signals = signals_, stop = stop_]() mutable {
            int number = 0;
            ::sigwait(&signals, &number);
            stop.request_stop();
        }).detach();
    }
    std::stop_token token() const { return stop_.get_token(); }

private:
    sigset_t signals_{};
    std::stop_source stop_;
};

int run(const std::vector<std::string>& words) {
    if (words.size() < 3) throw std::invalid_argument("client NOTES SEED ENDPOINT...");
    const Termination termination;
    Application(words[0].c_str(), std::stoull(words[1]), {words.begin() + 2, words.end()})
        .run(termination.token());
    return 0;
}

}  // namespace
}  // namespace conclave

int main(int argc, char** argv) {
    try {
        return conclave::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "client: %s\n", error.what());
        return 1;
    }
}
