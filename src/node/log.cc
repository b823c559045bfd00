// node/log.cc -- the one file that knows spdlog.
#include "node/log.h"

#include <poll.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/sinks/base_sink.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <mutex>
#include <string>

#include "node/burst_guard.h"

namespace conclave::node {

namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds look_up{20};  // from a full pipe, whether it is time to end

// Signals are the loop's. And a reader that has gone is a failed write, not the end of the node:
// SIGPIPE goes to the thread that wrote, which is this one.
void take_no_signals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

// Runs on the writing thread alone. A write of at most PIPE_BUF bytes after poll() said yes does
// not block; O_NONBLOCK would do the same, but to everybody who shares this terminal.
class Log::Writer final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    explicit Writer(const LogSettings& settings)
        : format_(settings.format), descriptor_(settings.descriptor), now_(settings.now) {}

    void watch(spdlog::details::thread_pool& pool) { pool_ = &pool; }
    void end_by(Steady::time_point deadline) { deadline_ = deadline.time_since_epoch().count(); }
    std::uint64_t lost() const { return pool_->overrun_counter() + failed_; }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        confess();
        std::string line(message.payload.data(), message.payload.size());
        if (!write(line + '\n')) ++failed_;
    }
    void flush_() override {}

private:
    void confess() {
        const std::uint64_t lost = this->lost();
        if (lost == confessed_) return;
        const LogField count{"lines", std::to_string(lost - confessed_)};
        const std::string body =
            log_body(format_, Level::warning, "log lines were lost", std::span(&count, 1));
        if (write(log_line(format_, now_(), body) + '\n')) confessed_ = lost;
    }

    bool write(std::string_view text) {
        while (!text.empty()) {
            if (!wait_for_room()) return false;
            const std::size_t size = std::min<std::size_t>(text.size(), PIPE_BUF);
            const ssize_t written = ::write(descriptor_, text.data(), size);
            if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (written < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(written));
        }
        return true;
    }

    // Past the deadline a full pipe is not waited for at all: a thousand lines may be queued.
    bool wait_for_room() const {
        pollfd room{descriptor_, POLLOUT, 0};
        while (true) {
            const bool late = Steady::now().time_since_epoch().count() >= deadline_;
            if (::poll(&room, 1, late ? 0 : static_cast<int>(look_up.count())) > 0) return true;
            if (late) return false;
        }
    }

    const LogFormat format_;
    const int descriptor_;
    const std::function<WallTime()> now_;
    spdlog::details::thread_pool* pool_ = nullptr;
    std::uint64_t confessed_ = 0;
    std::atomic<std::uint64_t> failed_{0};
    std::atomic<Steady::rep> deadline_{Steady::time_point::max().time_since_epoch().count()};
};

struct Log::Parts {
    explicit Parts(LogSettings given)
        : settings(std::move(given)),
          level(settings.level),
          guard(settings.same_per_second),
          writer(std::make_shared<Writer>(settings)),
          pool(std::make_shared<spdlog::details::thread_pool>(settings.queue, 1, &take_no_signals)),
          logger(std::make_shared<spdlog::async_logger>(
              "conclave", writer, pool, spdlog::async_overflow_policy::overrun_oldest)) {
        writer->watch(*pool);
    }

    void say(WallTime now, std::string_view body) {
        const std::string line = log_line(settings.format, now, body);
        logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
    }
    void say(WallTime now, const Repeated& repeated) {
        say(now, with_count(settings.format, repeated.what, repeated.count));
    }
    void sweep(WallTime now) {
        using std::chrono::floor, std::chrono::seconds;
        if (floor<seconds>(now) == floor<seconds>(swept)) return;
        swept = now;
        for (const Repeated& each : guard.over_by(now)) say(now, each);
    }

    LogSettings settings;
    std::atomic<Level> level;
    std::mutex guarding;  // the guard, and the order of lines
    BurstGuard guard;
    WallTime swept{};
    std::shared_ptr<Writer> writer;
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
};

Log::Log(LogSettings settings) : parts_(std::make_unique<Parts>(std::move(settings))) {}

Log::~Log() {
    {
        const std::lock_guard lock(parts_->guarding);
        for (const Repeated& each : parts_->guard.all()) parts_->say(parts_->settings.now(), each);
    }
    parts_->writer->end_by(Steady::now() + parts_->settings.last_words);
    parts_->pool.reset();  // writes what is queued, and joins the thread
}

void Log::log(Level level, std::string_view event, std::span<const LogField> fields) {
    if (level < parts_->level.load(std::memory_order_relaxed)) return;
    const std::string body = log_body(parts_->settings.format, level, event, fields);
    const WallTime now = parts_->settings.now();
    const std::lock_guard lock(parts_->guarding);
    parts_->sweep(now);
    const BurstGuard::Answer answer = parts_->guard.heard(body, now);
    if (answer.first) parts_->say(now, *answer.first);
    if (answer.say) parts_->say(now, body);
}

void Log::set_level(Level level) { parts_->level.store(level, std::memory_order_relaxed); }

void Log::tick() {
    const std::lock_guard lock(parts_->guarding);
    parts_->sweep(parts_->settings.now());
}

std::uint64_t Log::lost() const { return parts_->writer->lost(); }

}  // namespace conclave::node
