#include "engine/etcd_gateway.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <utility>

#include "engine/etcd_stream.h"
#include "net/clock.h"
#include "net/json_members.h"

namespace conclave::engine::etcd {

namespace json = boost::json;
using net::Trouble;

namespace {

using namespace std::chrono_literals;

constexpr net::ParseLimits largest{.header = 16 << 10, .body = 16 << 20};
constexpr Duration shortest_share = 100ms;

enum Code {
    deadline_exceeded = 4,
    permission_denied = 7,
    precondition = 9,
    unavailable = 14,
    unauthenticated = 16
};

// etcd has a code of its own for few of these, and no other way to tell them apart.
bool is_about_us(const Complaint& complaint) {
    const auto says = [&](const char* words) {
        return complaint.what.find(words) != std::string::npos;
    };
    return complaint.code == permission_denied || says("user name is empty") ||
           says("authentication failed");
}
bool token_is_stale(const Complaint& complaint) {
    return complaint.code == unauthenticated ||
           complaint.what.find("auth store is old") != std::string::npos;
}

}  // namespace

Outcome understand(const std::string& server, const net::Answer& answer) {
    boost::system::error_code error;
    json::value body = json::parse(answer.body, error);
    if (error || !body.is_object()) {
        std::string what = server + ": answers " + std::to_string(answer.status);
        what.append(" without JSON: is that an etcd (3.4 or later) with its gateway?");
        return net::Failure{Trouble::bad_answer, std::move(what), true};
    }
    return understand(server, std::move(body));
}

Outcome understand(const std::string& server, json::value body) {
    if (const auto* wrong = member(body, "error")) {
        const json::value& from = wrong->is_object() ? *wrong : body;  // of a stream it is inside
        const auto code = number_member(from, wrong->is_object() ? "grpc_code" : "code");
        Complaint complaint{static_cast<int>(code.value_or(2)), text_member(from, "message")};
        if (complaint.what.empty()) complaint.what = text_member(from, "error");
        if (complaint.code == unavailable || complaint.code == deadline_exceeded)
            return net::Failure{Trouble::timeout, server + ": " + complaint.what, true};
        if (is_about_us(complaint))
            return net::Failure{Trouble::refused, server + ": " + complaint.what, true};
        return complaint;
    }
    const auto* result = member(body, "result");  // of a stream, and of the keep-alive
    if (result && result->is_object()) body = json::value(*result);
    return Answer{std::move(body), server};
}

// One question on its way through the servers, signing in on the way.
class Gateway::Inquiry : public std::enable_shared_from_this<Inquiry> {
public:
    Inquiry(std::shared_ptr<Gateway> gateway, std::string path, std::string question,
            Duration limit, std::function<void(Outcome)> told)
        : gateway_(std::move(gateway)),
          path_(std::move(path)),
          question_(std::move(question)),
          left_(gateway_->options_.endpoints.size()),
          share_(std::max(limit / static_cast<std::int64_t>(left_), shortest_share)),
          told_(std::move(told)) {}

    void go() {
        const bool known = gateway_->user_.empty() || !gateway_->token_.empty() || nameless_;
        known ? put() : sign_in();
    }

private:
    void send(const std::string& path, const std::string& body,
              std::function<void(Outcome)> heard) {
        net::ClientOptions one = gateway_->options_;
        one.endpoints = {one.endpoints[gateway_->at_]};
        one.connect = std::min(one.connect, share_);
        asked_ = gateway_->at_;
        const std::string server = one.endpoints.front().text;
        net::ask(gateway_->loop_, one, gateway_->call(path, body), share_,
                 [heard = std::move(heard), server](net::Outcome outcome) {
                     if (auto* failure = std::get_if<net::Failure>(&outcome))
                         return heard(std::move(*failure));
                     heard(understand(server, std::get<net::Answer>(outcome)));
                 });
    }
    void put() {
        send(path_, question_, [self = shared_from_this()](Outcome outcome) {
            const auto* complaint = std::get_if<Complaint>(&outcome);
            if (complaint && token_is_stale(*complaint) && !std::exchange(self->again_, true)) {
                self->gateway_->token_.clear();
                return self->go();
            }
            self->end(std::move(outcome));
        });
    }
    void sign_in() {
        const json::object who{{"name", gateway_->user_}, {"password", gateway_->password_}};
        send("/v3/auth/authenticate", json::serialize(who),
             [self = shared_from_this()](Outcome outcome) { self->signed_in(std::move(outcome)); });
    }
    void signed_in(Outcome outcome) {
        const auto* complaint = std::get_if<Complaint>(&outcome);
        nameless_ = complaint && complaint->code == precondition;  // it asks nobody for a name
        if (nameless_) return put();
        const auto* answer = std::get_if<Answer>(&outcome);
        if (!answer) return end(std::move(outcome));
        gateway_->token_ = text_member(answer->body, "token");
        if (!gateway_->token_.empty() && is_field_value(gateway_->token_)) return put();
        gateway_->token_.clear();
        end(net::Failure{Trouble::bad_answer, answer->server + ": signed in without a token",
                         true});
    }
    static bool is_field_value(std::string_view text) {
        return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
    }
    void end(Outcome outcome) {
        auto* failure = std::get_if<net::Failure>(&outcome);
        if (!failure) return told_(std::move(outcome));
        failure_.trouble = std::max(failure_.trouble, failure->trouble);
        failure_.what.append(failure_.what.empty() ? "" : "; ").append(failure->what);
        failure_.sent = failure_.sent || failure->sent;
        // Somebody else's question may have moved on already.
        if (gateway_->at_ == asked_)
            gateway_->at_ = (asked_ + 1) % gateway_->options_.endpoints.size();
        if (--left_ == 0) return told_(std::move(failure_));
        go();
    }

    const std::shared_ptr<Gateway> gateway_;
    const std::string path_, question_;
    std::size_t left_;  // servers that may still be asked
    const Duration share_;
    const std::function<void(Outcome)> told_;
    std::size_t asked_ = 0;
    bool again_ = false, nameless_ = false;
    net::Failure failure_;
};

Gateway::Gateway(boost::asio::io_context& loop, const Place& place, std::optional<net::Tls> tls,
                 std::vector<net::HttpEndpoint> endpoints)
    : loop_(loop),
      tls_(std::move(tls)),
      user_(place.user),
      password_(place.password),
      timeout_(place.timeout) {
    options_.endpoints = std::move(endpoints);
    options_.tls = tls_ ? &tls_->context() : nullptr;
    options_.limits = largest;
}

Result<std::shared_ptr<Gateway>> Gateway::make(boost::asio::io_context& loop, const Place& place) {
    std::vector<std::string> urls;
    for (const std::string& server : place.servers)
        urls.push_back((place.secure ? "https://" : "http://") + server);
    auto endpoints = net::parse_http_endpoints(urls);
    if (!endpoints) return endpoints.error();
    std::optional<net::Tls> tls;
    if (place.secure) {
        auto visited = net::Tls::visit(place.tls);
        if (!visited) return visited.error();
        tls = std::move(*visited);
    }
    return std::shared_ptr<Gateway>(
        new Gateway(loop, place, std::move(tls), std::move(*endpoints)));
}

net::Call Gateway::call(const std::string& path, const std::string& body) const {
    net::Call call{.method = "POST", .target = path, .body = body};
    if (!token_.empty()) call.fields.push_back({"Authorization", token_});
    return call;
}

void Gateway::ask(const std::string& path, const json::object& question, Duration limit,
                  std::function<void(Outcome)> told) {
    auto inquiry = std::make_shared<Inquiry>(shared_from_this(), path, json::serialize(question),
                                             limit, std::move(told));
    boost::asio::post(loop_, [inquiry] { inquiry->go(); });
}

std::shared_ptr<Gateway::Stream> Gateway::listen(const std::string& path,
                                                 const json::object& question, Ears ears) {
    auto stream = std::make_shared<Stream>(loop_, options_.endpoints[at_], std::move(ears));
    stream->start(options_, call(path, json::serialize(question)));
    return stream;
}

}  // namespace conclave::engine::etcd
