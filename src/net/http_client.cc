#include "net/http_client.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>

namespace conclave::net {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

bool harmless(const Call& call) { return call.method == "GET" || call.method == "HEAD"; }

// One call on its way through the endpoints.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
public:
    using Done = std::function<void(Outcome, std::size_t endpoint)>;  // which one has answered

    Inquiry(asio::io_context& loop, ClientOptions options, Call call, Clock::time_point deadline,
            Done done)
        : loop_(loop),
          options_(std::move(options)),
          call_(std::move(call)),
          deadline_(deadline),
          turn_(loop),
          under_way_(options_.endpoints.size()),
          done_(std::move(done)) {}

    void try_next() {
        const Duration rest = deadline_ - Clock::now();
        if (next_ == options_.endpoints.size() || rest <= Duration::zero()) return give_up();
        Dialogue::Terms terms{.tls = options_.tls,
                              .token = options_.token,
                              .limits = options_.limits,
                              .connect = std::min(options_.connect, rest),
                              .answer = rest};
        const std::size_t at = next_++;
        const auto dialogue =
            std::make_shared<Dialogue>(loop_, options_.endpoints[at], std::move(terms));
        under_way_[at] = dialogue;
        dialogue->start(call_, [self = shared_from_this(), at](Outcome outcome) {
            self->on_outcome(at, std::move(outcome));
        });
        if (harmless(call_) && next_ < options_.endpoints.size()) await_turn(rest);
    }

private:
    // Before the time is up each has had a turn, unless it is spent on a long poll.
    void await_turn(Duration rest) {
        const auto left = static_cast<Duration::rep>(options_.endpoints.size() - next_);
        const Duration share = std::max(rest - call_.takes, Duration::zero()) / (left + 1);
        turn_.expires_after(call_.takes + std::min(options_.turn, share));
        turn_.async_wait([self = shared_from_this()](const ErrorCode& error) {
            if (!error && self->done_) self->try_next();
        });
    }
    void on_outcome(std::size_t at, Outcome outcome) {
        under_way_[at].reset();
        const Failure* failure = std::get_if<Failure>(&outcome);
        if (!failure) return finish(std::move(outcome), at);
        failure_.trouble = std::max(failure_.trouble, failure->trouble);
        failure_.what += (failure_.what.empty() ? "" : "; ") + failure->what;
        failure_.sent = failure_.sent || failure->sent;
        if (failure_.sent && !harmless(call_)) return finish(std::move(failure_), at);
        try_next();
    }
    // Unless somebody who was asked may still answer.
    void give_up() {
        if (!std::ranges::all_of(under_way_, [](const auto& one) { return one.expired(); })) return;
        if (failure_.what.empty()) failure_ = {Trouble::timeout, "no time to ask anybody"};
        finish(std::move(failure_), 0);
    }
    void finish(Outcome outcome, std::size_t at) {
        turn_.cancel();
        for (const auto& one : under_way_) {
            if (const auto dialogue = one.lock()) dialogue->cancel();
        }
        std::exchange(done_, nullptr)(std::move(outcome), at);
    }

    asio::io_context& loop_;
    ClientOptions options_;
    Call call_;
    Clock::time_point deadline_;
    asio::steady_timer turn_;
    std::vector<std::weak_ptr<Dialogue>> under_way_;  // by endpoint; each holds us
    Done done_;
    std::size_t next_ = 0;
    Failure failure_;  // of all endpoints so far
};

void inquire(asio::io_context& loop, const ClientOptions& options, Call call,
             Clock::time_point deadline, Inquiry::Done done) {
    const auto inquiry =
        std::make_shared<Inquiry>(loop, options, std::move(call), deadline, std::move(done));
    asio::post(loop, [inquiry] { inquiry->try_next(); });
}

}  // namespace

Result<std::vector<HttpEndpoint>> parse_http_endpoints(const std::vector<std::string>& texts) {
    std::vector<HttpEndpoint> endpoints;
    for (const std::string& text : texts) {
        Result<HttpEndpoint> endpoint = parse_http_endpoint(text);
        if (!endpoint) return endpoint.error();
        endpoints.push_back(*std::move(endpoint));
    }
    return endpoints;
}

void ask(asio::io_context& loop, const ClientOptions& options, Call call, Duration limit,
         std::function<void(Outcome)> done) {
    assert(!options.endpoints.empty());
    const auto deadline = Clock::now() + limit;
    const auto tell = [done = std::move(done)](Outcome outcome, std::size_t) {
        done(std::move(outcome));
    };
    if (options.endpoints.size() == 1 || harmless(call))
        return inquire(loop, options, std::move(call), deadline, tell);
    const Call knock{.method = "HEAD"};
    inquire(loop, options, knock, deadline,
            [&loop, chosen = options, call = std::move(call), deadline, tell](
                Outcome outcome, std::size_t at) mutable {
                if (auto* failure = std::get_if<Failure>(&outcome)) {
                    failure->sent = false;  // but for the knock
                    return tell(std::move(outcome), at);
                }
                const auto answers = chosen.endpoints.begin() + static_cast<std::ptrdiff_t>(at);
                std::rotate(chosen.endpoints.begin(), answers, chosen.endpoints.end());
                inquire(loop, chosen, std::move(call), deadline, tell);
            });
}

Outcome ask(const ClientOptions& options, Call call, Duration limit) {
    asio::io_context loop(1);
    std::optional<Outcome> result;
    ask(loop, options, std::move(call), limit,
        [&result](Outcome outcome) { result = std::move(outcome); });
    loop.run();
    assert(result);
    return *std::move(result);
}

}  // namespace conclave::net
