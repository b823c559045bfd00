#include "client/node_session.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <utility>

#include "core/duration_text.h"
#include "net/clock.h"
#include "net/http_target.h"
#include "net/json_members.h"

namespace conclave::client {

namespace json = boost::json;

namespace {

constexpr Duration shortest = std::chrono::milliseconds(5);  // between two renewals
constexpr Duration least_patience = std::chrono::milliseconds(20);
constexpr std::int64_t renewals = 4;  // in the time that there is for one

}  // namespace

void NodeSession::ask(const char* method, const std::string& target, const json::value& body,
                      Duration limit, Done done) {
    net::Call call;
    call.method = method;
    call.target = target;
    if (!body.is_null()) call.body = json::serialize(body);
    net::ask(loop_, plan_.way, std::move(call), limit,
             [done = std::move(done)](const net::Outcome& outcome) { done(read_answer(outcome)); });
}

void NodeSession::open(const std::string& name, Duration ttl, Done done) {
    renewed_ = net::now();
    const json::object body{{"ttl", duration_text(ttl)}, {"name", name}};
    ask("POST", "/v1/sessions", body, plan_.timeout,
        [self = shared_from_this(), done = std::move(done)](Said said) {
            if (said.good() && !self->opened(said.body)) {
                said = {0, {}, {net::Trouble::bad_answer, "that is no session", true}};
            }
            done(said);
        });
}

bool NodeSession::opened(const json::value& given) {
    const auto length = parse_duration(text_member(given, "ttl"));
    if (!length || *length <= Duration::zero()) return false;
    id_ = text_member(given, "session");
    node_ = text_member(given, "node");
    ttl_ = *length;
    renew_after(ttl_ / renewals);
    return !id_.empty();
}

void NodeSession::borrow(Duration wait, Duration ahead, Done done) {
    ahead_ = ahead;
    json::object body{{"session", id_}, {"wait", duration_text(wait)}};
    if (plan_.loan.priority) body["priority"] = *plan_.loan.priority;
    ask("POST", plan_.loan.target, body, wait + plan_.timeout,
        [self = shared_from_this(), done = std::move(done)](const Said& said) {
            if (said.good()) self->renew();
            done(said);
        });
}

void NodeSession::end(std::function<void()> done) {
    plan_.renewed = nullptr;
    timer_.cancel();
    mandate_.reset();
    const std::string id = std::exchange(id_, {});
    if (id.empty()) return boost::asio::post(loop_, std::move(done));
    constexpr Duration enough = std::chrono::seconds(1);  // it ends by itself soon after
    ask("DELETE", "/v1/sessions/" + id, {}, std::min(plan_.timeout, enough),
        [done = std::move(done)](const Said&) { done(); });
}

void NodeSession::renew() {
    if (id_.empty()) return;
    if (std::exchange(asking_, true)) {
        again_ = true;
        return;
    }
    const Instant sent = net::now();
    const Duration left = mandate_ ? mandate_->until - sent : ttl_;
    ask("POST", "/v1/sessions/" + id_ + "/renew", {},
        std::min(plan_.timeout, std::max(left / 2, least_patience)),
        [self = shared_from_this(), sent](const Said& said) {
            self->asking_ = false;
            if (!self->id_.empty()) self->renewed(said, sent);
        });
}

void NodeSession::renewed(const Said& said, Instant sent) {
    constexpr unsigned gone = 410;
    const auto tell = plan_.renewed;  // who is told may end us, and would end itself with us
    if (said.good()) renewed_ = sent;
    if (said.status == gone || sent - renewed_ > ttl_) {
        id_.clear();
        mandate_.reset();
        return tell();
    }
    if (!said.good()) return renew_after(shortest);
    take_mandate(said.body, sent);
    // It was sent before something was lent, and knows nothing of it.
    if (std::exchange(again_, false)) return renew_after(Duration::zero());
    const Duration left = mandate_ ? mandate_->until - ahead_ - net::now() : ttl_;
    renew_after(std::clamp(left / renewals, shortest, std::max(ttl_ / renewals, shortest)));
    tell();
}

void NodeSession::take_mandate(const json::value& body, Instant sent) {
    std::optional<Mandate> said;
    const Loan& loan = plan_.loan;
    const auto* lent = member(body, loan.list);
    for (const json::value& one : lent && lent->is_array() ? lent->get_array() : json::array{}) {
        if (text_member(one, loan.kind) != loan.name) continue;
        const std::chrono::milliseconds left(number_member(one, "remaining_ms").value_or(0));
        said = Mandate{number_member(one, loan.number).value_or(0), sent + left};
    }
    if (mandate_ && (!said || said->number != mandate_->number)) lost_ = true;
    if (lost_) said.reset();
    if (said && mandate_) said->until = std::max(said->until, mandate_->until);
    mandate_ = said;
}

void NodeSession::renew_after(Duration wait) {
    timer_.expires_after(wait);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        if (!error) self->renew();
    });
}

}  // namespace conclave::client
