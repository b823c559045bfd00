// node/log_test.cc -- the log at a pipe: read, not read, closed.
#include "node/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace conclave::node {
namespace {

using Lines = std::vector<boost::json::value>;

class Pipe {
public:
    Pipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
        read_ = ends[0];
        write_ = ends[1];
    }
    ~Pipe() {
        close_reader();
        close_writer();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int writer() const { return write_; }
    void close_reader() { close_one(read_); }
    void close_writer() { close_one(write_); }

    std::string read_to_the_end() const {  // that is, until the writer is closed
        std::string text;
        std::array<char, 4096> chunk{};
        for (ssize_t size; (size = ::read(read_, chunk.data(), chunk.size())) > 0;) {
            text.append(chunk.data(), static_cast<std::size_t>(size));
        }
        return text;
    }
    std::string rest() {  // what is left when the log is gone
        close_writer();
        return read_to_the_end();
    }

private:
    static void close_one(int& descriptor) {
        if (descriptor >= 0) ::close(std::exchange(descriptor, -1));
    }
    int read_ = -1, write_ = -1;
};

Lines parsed(const std::string& text) {
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        EXPECT_NE(end, std::string::npos) << "the last line is cut: " << text.substr(at);
        if (end == std::string::npos) break;
        lines.push_back(boost::json::parse(text.substr(at, end - at)));
        at = end + 1;
    }
    return lines;
}

struct Clock {  // stands still unless it is moved
    std::atomic<std::int64_t> seconds{1'000'000};
    std::function<WallTime()> reader() {
        return [this] { return WallTime(std::chrono::seconds(seconds.load())); };
    }
};

LogSettings settings(const Pipe& pipe, Clock& clock) {
    LogSettings given;
    given.format = LogFormat::json;
    given.descriptor = pipe.writer();
    given.now = clock.reader();
    return given;
}

TEST(Log, LinesComeInOrderAndCompleteAtTheEnd) {
    Pipe pipe;
    Clock clock;
    {
        Log log(settings(pipe, clock));
        for (int i = 0; i < 500; ++i) log.log(Level::info, "tick", {{"n", std::to_string(i)}});
    }
    const Lines lines = parsed(pipe.rest());
    ASSERT_EQ(lines.size(), 500u);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        EXPECT_EQ(lines[i].at("n").as_string(), std::to_string(i));
    }
}

TEST(Log, TheLevelChangesWhileItRuns) {
    Pipe pipe;
    Clock clock;
    {
        Log log(settings(pipe, clock));
        log.log(Level::debug, "unheard", {});
        log.set_level(Level::debug);
        log.log(Level::debug, "heard", {});
        log.set_level(Level::error);
        log.log(Level::warning, "unheard", {});
        log.log(Level::error, "heard", {});
    }
    const Lines lines = parsed(pipe.rest());
    ASSERT_EQ(lines.size(), 2u);
    for (const auto& line : lines) EXPECT_EQ(line.at("event").as_string(), "heard");
}

TEST(Log, ABurstIsToldWithItsCount) {
    Pipe pipe;
    Clock clock;
    {
        LogSettings given = settings(pipe, clock);
        given.same_per_second = 2;
        Log log(given);
        for (int i = 0; i < 50; ++i) log.log(Level::warning, "refused", {{"peer", "n2"}});
        log.log(Level::warning, "refused", {{"peer", "n3"}});
        ++clock.seconds;
        log.tick();
        for (int i = 0; i < 5; ++i) log.log(Level::warning, "refused", {{"peer", "n2"}});
    }
    const Lines lines = parsed(pipe.rest());
    ASSERT_EQ(lines.size(), 7u);
    EXPECT_EQ(lines[2].at("peer").as_string(), "n3");
    EXPECT_EQ(lines[3].at("repeated").as_int64(), 48);
    EXPECT_EQ(lines[3].at("peer").as_string(), "n2");
    EXPECT_EQ(lines[6].at("repeated").as_int64(), 3) << "at the end at the latest";
}

TEST(Log, AReaderThatSleepsCostsOldLinesAndNeverTheLoop) {
    constexpr std::size_t written = 20'000;
    Pipe pipe;
    Clock clock;
    LogSettings given = settings(pipe, clock);
    given.queue = 64;
    given.last_words = std::chrono::seconds(60);
    std::optional<Log> log(std::in_place, given);
    for (std::size_t i = 0; i < written; ++i) {  // would stand still here if it waited
        log->log(Level::info, "tick",
                 {{"n", std::to_string(i)}, {"padding", std::string(100, 'x')}});
    }
    const std::uint64_t lost = log->lost();
    EXPECT_GT(lost, 0u);
    std::string text;
    std::thread reader([&] { text = pipe.read_to_the_end(); });
    log.reset();
    pipe.close_writer();
    reader.join();
    const Lines lines = parsed(text);
    std::uint64_t read = 0, told = 0;
    std::string last;
    for (const auto& line : lines) {
        if (line.at("event").as_string() == "tick") {
            ++read;
            last = line.at("n").as_string();
        } else {
            told += std::stoull(std::string(line.at("lines").as_string()));
        }
    }
    EXPECT_EQ(last, std::to_string(written - 1)) << "the newest are kept";
    EXPECT_EQ(told, lost);
    EXPECT_EQ(read + lost, written);
}

TEST(Log, TheEndDoesNotWaitForAReaderThatNeverComes) {
    Pipe pipe;
    Clock clock;
    LogSettings given = settings(pipe, clock);
    given.last_words = std::chrono::milliseconds(50);
    std::optional<Log> log(std::in_place, given);
    for (int i = 0; i < 5000; ++i) {
        log->log(Level::info, "tick", {{"n", std::to_string(i)}, {"x", std::string(200, 'x')}});
    }
    const auto before = std::chrono::steady_clock::now();
    log.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
}

TEST(Log, AReaderThatHasGoneIsNoSignal) {
    Pipe pipe;
    Clock clock;
    pipe.close_reader();
    Log log(settings(pipe, clock));
    log.log(Level::info, "into the void", {});
    while (log.lost() == 0) std::this_thread::yield();
    EXPECT_EQ(log.lost(), 1u);
}

TEST(Log, ManyThreadsWriteWholeLines) {
    Pipe pipe;
    Clock clock;
    LogSettings given = settings(pipe, clock);
    given.queue = 4096;
    given.last_words = std::chrono::seconds(60);
    {
        Log log(given);
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&log, t] {
                for (int i = 0; i < 100; ++i) {
                    log.log(Level::info, "tick", {{"n", std::to_string(t * 1000 + i)}});
                }
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
    EXPECT_EQ(parsed(pipe.rest()).size(), 400u);
}

}  // namespace
}  // namespace conclave::node
