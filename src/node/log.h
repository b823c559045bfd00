// node/log.h -- the daemon's log: logfmt or JSON lines on standard error.
//
// The loop must never wait for whoever reads the log: a pager on the other end of the pipe would
// stop heartbeats and cost this node its leadership. So lines go through a queue of fixed length to
// a thread that writes them (spdlog's asynchronous logger). When the queue is full the *oldest*
// lines go, because the newest say what is wrong now, and the log says how many were lost.
// The end waits a moment for the last lines to be written, and no longer.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "net/log.h"
#include "node/log_line.h"

namespace conclave::node {

struct LogSettings {
    Level level = Level::info;
    LogFormat format = LogFormat::logfmt;
    std::uint32_t same_per_second = 10;  // the same event with the same fields; the rest is counted
    std::size_t queue = 1024;            // lines; each takes some 400 bytes from the start
    std::chrono::milliseconds last_words{500};  // how long the end waits for a reader
    int descriptor = 2;                         // standard error
    std::function<WallTime()> now = &std::chrono::system_clock::now;
};

class Log final : public LogSink {
public:
    explicit Log(LogSettings settings);
    ~Log() override;
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    using LogSink::log;
    void log(Level level, std::string_view event, std::span<const LogField> fields) override;

    void set_level(Level level);  // from any thread, at any time: a reload

    // Now and then, so that the end of a burst is told although nothing else happens.
    void tick();

    std::uint64_t lost() const;  // lines that nobody took in time

private:
    class Writer;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace conclave::node
