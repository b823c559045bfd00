// net/clock.cc -- a timerfd that Asio waits for.
#include "net/clock.h"

#include <sys/timerfd.h>
#include <time.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

namespace conclave::net {
namespace {

timespec as_timespec(Duration length) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length);
    return {.tv_sec = seconds.count(), .tv_nsec = (length - seconds).count()};
}

void set(int timer, const itimerspec& when) {
    [[maybe_unused]] const int failed = timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr);
    assert(!failed);  // only a wrong descriptor or a negative time could fail
}

}  // namespace

Instant now() {
    timespec time{};
    [[maybe_unused]] const int failed = clock_gettime(CLOCK_BOOTTIME, &time);
    assert(!failed);
    return Instant(std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec));
}

// Shared with the handler in flight: a readiness that was queued before the Alarm's end is run
// after it, and must find something.
struct Alarm::Bell : std::enable_shared_from_this<Bell> {
    Bell(boost::asio::io_context& loop, int timer) : descriptor(loop, timer) {}

    void at(Instant when, std::function<void()> what) {
        due = when;
        ring = std::move(what);
        const Duration since_boot = std::max(due.time_since_epoch(), Duration(1));  // 0 disarms
        set(descriptor.native_handle(), {.it_interval = {}, .it_value = as_timespec(since_boot)});
        if (!waiting) wait();
    }

    // Only when the timer has been set: nobody reads how often it has rung, which setting it
    // forgets.
    void wait() {
        waiting = true;
        descriptor.async_wait(descriptor.wait_read, [self = shared_from_this()](const auto& error) {
            if (error || !self->descriptor.is_open()) return;  // the Alarm is gone
            self->readable();
        });
    }

    void readable() {
        waiting = false;
        if (!ring) return;
        // It was set again after it had rung for the old time.
        if (now() < due) return wait();
        std::exchange(ring, nullptr)();
    }

    boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> descriptor;
    Instant due{};
    std::function<void()> ring;
    bool waiting = false;
};

Result<Alarm> Alarm::make(boost::asio::io_context& loop) {
    const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0) return Error{"cannot create a timer: " + std::generic_category().message(errno)};
    return Alarm(std::make_shared<Bell>(loop, timer));
}

Alarm::Alarm(std::shared_ptr<Bell> bell) : bell_(std::move(bell)) {}
Alarm::Alarm(Alarm&&) noexcept = default;

Alarm& Alarm::operator=(Alarm&& other) noexcept {
    std::swap(bell_, other.bell_);
    return *this;
}

Alarm::~Alarm() {
    if (!bell_) return;  // moved away
    bell_->ring = nullptr;
    bell_->descriptor.close();
}

void Alarm::at(Instant due, std::function<void()> ring) {
    assert(ring);
    bell_->at(due, std::move(ring));
}

void Alarm::cancel() {
    bell_->ring = nullptr;
    set(bell_->descriptor.native_handle(), {});
}

}  // namespace conclave::net
