#include "net/http_client.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>
#include <optional>
#include <utility>

namespace conclave::net {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// One call on its way through the endpoints.
class Inquiry : public std::enable_shared_from_this<Inquiry> {
public:
    Inquiry(asio::io_context& loop, ClientOptions options, Call call, Duration limit,
            std::function<void(Outcome)> done)
        : loop_(loop),
          options_(std::move(options)),
          call_(std::move(call)),
          deadline_(Clock::now() + limit),
          done_(std::move(done)) {}

    void try_next() {
        Duration rest = deadline_ - Clock::now();
        if (next_ == options_.endpoints.size() || rest <= Duration::zero()) {
            if (failure_.what.empty()) failure_ = {Trouble::timeout, "no time to ask anybody"};
            return done_(std::move(failure_));
        }
        Dialogue::Terms terms{.tls = options_.tls,
                              .token = options_.token,
                              .limits = options_.limits,
                              .connect = std::min(options_.connect, rest),
                              .answer = rest};
        auto dialogue =
            std::make_shared<Dialogue>(loop_, options_.endpoints[next_++], std::move(terms));
        dialogue->start(call_, [self = shared_from_this()](Outcome outcome) {
            self->on_outcome(std::move(outcome));
        });
    }

private:
    void on_outcome(Outcome outcome) {
        const Failure* failure = std::get_if<Failure>(&outcome);
        if (!failure) return done_(std::move(outcome));
        failure_.trouble = std::max(failure_.trouble, failure->trouble);
        failure_.what += (failure_.what.empty() ? "" : "; ") + failure->what;
        failure_.sent = failure_.sent || failure->sent;
        bool harmless = call_.method == "GET" || call_.method == "HEAD";
        if (failure_.sent && !harmless) return done_(std::move(failure_));
        try_next();
    }

    asio::io_context& loop_;
    ClientOptions options_;
    Call call_;
    Clock::time_point deadline_;
    std::function<void(Outcome)> done_;
    std::size_t next_ = 0;
    Failure failure_;  // of all endpoints so far
};

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
    auto inquiry =
        std::make_shared<Inquiry>(loop, options, std::move(call), limit, std::move(done));
    asio::post(loop, [inquiry] { inquiry->try_next(); });
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
