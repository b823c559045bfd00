// cli/holder.h -- runs a command while something is held, whoever keeps the record of it: the whole
// of `conclave lock` and `conclave lead` but their words.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/end_of_input.h"
#include "cli/exit.h"
#include "cli/ward.h"
#include "conclave/fence.hpp"
#include "engine/engine.h"

namespace conclave {

struct HoldPlan {
    engine::Claim claim;
    std::optional<Duration> wait, grace;
    bool at_once = false, restart = false;
    int busy_code = static_cast<int>(Exit::not_yet);
    std::vector<std::string> command{};  // none: until the end of input
    Duration contact{};                  // how long it may take until somebody answers

    std::string name, busy, idle, term;  // for people: of what; somebody has it; nobody gives it
    using Environment = std::vector<std::pair<std::string, std::string>>;
    std::function<Environment(FencingToken, const std::string& server)> environment{};
    std::function<void(FencingToken)> show{};             // instead of a command
    std::function<Exit(const net::Failure&)> exit_of{};   // nobody has answered
    std::function<bool(const net::Failure&)> hopeless{};  // nor will
};

class Holder final : private engine::Events {
public:
    explicit Holder(HoldPlan plan) : plan_(std::move(plan)) {}

    boost::asio::io_context& loop() { return loop_; }
    int run(engine::Engine& engine);  // an exit code: of the command, if it ended by itself

private:
    using Timer = boost::asio::steady_timer;
    static void limit(Timer& timer, Duration wait, std::function<void()> then);
    void contend();
    void begin_if_time_is_left();
    std::string why_not() const;

    void reached(const std::string& server) override;
    void busy() override;
    void granted(const locks::Token& token) override;
    void renewed() override;
    void lost() override;
    void left() override { loop_.stop(); }
    void failed(const net::Failure& failure, bool final) override;

    void start();
    void child_ended(const Ward::End& end);
    void await_signal();
    void quit(int code, const std::string& why);

    const HoldPlan plan_;
    boost::asio::io_context loop_{1};
    boost::asio::signal_set signals_{loop_};
    Timer contact_{loop_}, patience_{loop_};
    EndOfInput input_{loop_};
    engine::Engine* engine_ = nullptr;
    std::optional<Ward> ward_;
    std::optional<FencingToken> token_;
    std::string server_;  // empty: nobody has answered yet
    net::Failure trouble_{net::Trouble::unreachable, "no answer", false};
    bool busy_ = false, started_ = false, told_to_end_ = false, ended_ = false;
    int code_ = 0;
    std::unique_ptr<engine::Contest> contest_;
};

}  // namespace conclave
