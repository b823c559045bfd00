#include "engine/native_loan.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

#include "client/answer.h"
#include "client/node_session.h"
#include "core/duration_text.h"
#include "engine/handle.h"
#include "engine/unable.h"
#include "net/clock.h"
#include "net/http_target.h"
#include "net/json_members.h"
#include "net/patience.h"

namespace conclave::engine {

namespace {

using namespace std::chrono_literals;
using client::NodeSession;
using client::Said;

// A session that lives somewhat longer than what is lent costs nothing while we live, and little
// when we are killed. The end of it may need half of that, so it is renewed well before.
constexpr std::int64_t terms_in_a_session = 2, ahead_in_a_term = 2;
constexpr Duration pause = 200ms, longest_wait = 1min;

struct Prospect {                  // what the node's view says
    std::optional<Duration> term;  // how long it is lent for; nothing: it is not, and
    std::string never{};           //   why
    bool taken = false;            // by somebody else
    bool ours = false;             // it is at this node already, and need not be waited for
};
struct Offer {
    std::string view;  // where the node says something about it
    NodeSession::Loan loan;
    Prospect (*judge)(const boost::json::value& view);
};

std::optional<Duration> read(const std::string& text) {
    const auto duration = parse_duration(text);
    return duration ? std::optional(*duration) : std::nullopt;
}
Prospect judge_group(const boost::json::value& view) {
    Prospect seen;
    const auto* mine = member(view, "mine");
    seen.term = read(text_member(view, "lease"));
    seen.never = text_member(view, "algorithm") + " has no lease: " + text_member(view, "group") +
                 " cannot be led by a session";
    seen.ours = mine && mine->is_bool() && mine->get_bool();
    seen.taken = !seen.ours && !text_member(view, "leader").empty();
    return seen;
}
// Who is inside at another node nobody knows without asking to enter.
Prospect judge_mutex(const boost::json::value& view) {
    Prospect seen;
    seen.term = read(text_member(view, "silence"));
    seen.never = "'" + text_member(view, "mutex") + "' is not lent";
    seen.taken = text_member(view, "section") != "outside";
    return seen;
}

Offer offer_of(const Claim& claim) {
    const Thing& thing = claim.thing;
    if (thing.kind == Thing::Kind::leadership) {
        const std::string view = "/v1/groups/" + net::percent_encoded(thing.name);
        return {view,
                {view + "/campaign", "leading", "group", thing.name, "epoch", claim.priority},
                judge_group};
    }
    const std::string view = "/v1/mutex/" + net::percent_encoded(thing.name);
    return {view, {view + "/enter", "inside", "mutex", thing.name, "stay"}, judge_mutex};
}

class Candidacy : public std::enable_shared_from_this<Candidacy> {
public:
    Candidacy(boost::asio::io_context& loop, const NativeSettings& settings, const Claim& claim,
              Events& events, net::Alarm alarm)
        : loop_(loop),
          settings_(settings),
          offer_(offer_of(claim)),
          holder_(claim.holder),
          wanted_(claim.session),
          events_(events),
          alarm_(std::move(alarm)),
          later_(loop),
          patience_(settings.way.endpoints.size(), settings.way.turn, settings.timeout) {}

    // A session is one node's, so one node is chosen: the first that answers.
    void look();
    void leave();
    void let_go();
    std::optional<Instant> until() const {
        const auto mandate = session_ ? session_->mandate() : std::nullopt;
        const bool held = held_ && mandate && net::now() < mandate->until;
        return held ? std::optional(mandate->until) : std::nullopt;
    }
    Duration session() const { return term_; }

private:
    template <class F> auto still(F then) {
        return [self = shared_from_this(), then](const auto&... what) {
            if (!self->over_) then(what...);
        };
    }
    net::ClientOptions way() const {
        net::ClientOptions one = settings_.way;
        one.endpoints = {one.endpoints[at_]};
        return one;
    }
    void looked(const boost::json::value& view);
    void open(const Prospect& seen);
    void borrow(Duration wait);
    void borrowed(const Said& said);
    void renewed();
    void begin_again();
    void give_up(net::Failure failure);
    void lose();
    void end();

    boost::asio::io_context& loop_;
    const NativeSettings settings_;
    const Offer offer_;
    const std::string holder_;
    const Duration wanted_;
    Events& events_;
    net::Alarm alarm_;
    boost::asio::steady_timer later_;
    net::Patience patience_;
    std::shared_ptr<NodeSession> session_;
    Duration term_{};
    std::size_t at_ = 0;  // whom we ask, of the endpoints
    net::Failure failure_;
    bool lent_ = false, held_ = false, over_ = false, silent_ = false;
};

void Candidacy::look() {
    const net::Call call{.target = offer_.view};
    net::ask(loop_, way(), call, patience_.now(), still([this](const net::Outcome& outcome) {
                 const Said said = client::read_answer(outcome);
                 if (said.status != 0) patience_.rewarded();
                 if (said.good()) return looked(said.body);
                 if (said.status != 0) return give_up(said.failure);
                 failure_ = said.failure;
                 if (++at_ < settings_.way.endpoints.size()) return look();
                 patience_.in_vain();
                 begin_again();
             }));
}

void Candidacy::begin_again() {
    at_ = 0;
    lent_ = false;
    if (session_) session_->end([] {});
    session_.reset();
    if (!failure_.what.empty()) events_.failed(std::exchange(failure_, {}), false);
    if (over_) return;
    later_.expires_after(pause);
    later_.async_wait(still([this](const boost::system::error_code& error) {
        if (!error) look();
    }));
}

void Candidacy::give_up(net::Failure failure) {
    end();
    if (session_) session_->end([] {});
    events_.failed(failure, true);
}

void Candidacy::looked(const boost::json::value& view) {
    const Prospect seen = offer_.judge(view);
    if (!seen.term) return give_up({net::Trouble::bad_answer, seen.never, true});
    open(seen);
}

void Candidacy::open(const Prospect& seen) {
    NodeSession::Plan plan;
    plan.way = way();
    plan.timeout = settings_.timeout;
    plan.loan = offer_.loan;
    plan.renewed = still([this] { renewed(); });
    session_ = std::make_shared<NodeSession>(loop_, std::move(plan));
    const Duration ttl = wanted_ > Duration::zero() ? wanted_ : terms_in_a_session * *seen.term;
    session_->open(holder_, ttl, still([this, seen](const Said& said) {
                       failure_ = said.failure;
                       if (said.status == 0) return begin_again();
                       if (!said.good()) return give_up(said.failure);
                       term_ = std::min(*seen.term, session_->ttl());
                       events_.reached(session_->node());
                       if (!over_ && seen.taken) events_.busy();
                       // Where nobody has it, an election, or everybody's answer, is worth its
                       // time; where this node has it, it is lent at once or not.
                       if (!over_) borrow(seen.ours ? Duration::zero() : 4 * *seen.term + 1s);
                   }));
}

void Candidacy::borrow(Duration wait) {
    lent_ = false;
    session_->borrow(wait, term_ / ahead_in_a_term,
                     still([this, session = session_.get()](const Said& said) {
                         if (session == session_.get()) borrowed(said);
                     }));
}

void Candidacy::borrowed(const Said& said) {
    constexpr unsigned refused = 409, session_gone = 410;
    lent_ = said.good();
    if (lent_) return;  // the next renewal says until when
    if (said.status == refused) {
        events_.busy();
        if (!over_) borrow(longest_wait);
    } else if (said.status == 0 || said.status == session_gone) {
        failure_ = said.failure;
        begin_again();
    } else {
        give_up(said.failure);
    }
}

void Candidacy::renewed() {
    const auto mandate = session_ ? session_->mandate() : std::nullopt;
    if (!mandate) {
        if (held_) return lose();
        if (lent_ || (session_ && session_->over())) begin_again();  // lost before it began
        return;
    }
    if (!lent_) return;
    alarm_.at(mandate->until, still([this] {
                  const auto now = session_ ? session_->mandate() : std::nullopt;
                  if (held_ && (!now || net::now() >= now->until)) lose();
              }));
    if (std::exchange(held_, true)) return events_.renewed();
    events_.granted({Epoch{mandate->number}, 0});
}

// Whoever acted under it may still be about to stop. The session ends when they have, or what the
// node has promised is over: to end it is to say that they have, and the next one begins.
void Candidacy::lose() {
    end();
    events_.lost();
}

void Candidacy::end() {
    over_ = true;
    held_ = false;
    alarm_.cancel();
    later_.cancel();
}

void Candidacy::leave() {
    const auto left = [self = shared_from_this()] {
        if (!self->silent_) self->events_.left();
    };
    end();
    session_ ? session_->end(left) : boost::asio::post(loop_, left);
}

void Candidacy::let_go() {
    silent_ = true;
    end();
    if (session_) session_->end([] {});
}

}  // namespace

std::unique_ptr<Contest> contend_for_loan(boost::asio::io_context& loop,
                                          const NativeSettings& settings, const Claim& claim,
                                          Events& events) {
    auto alarm = net::Alarm::make(loop);
    if (!alarm) return unable(loop, alarm.error(), events);
    auto candidacy = std::make_shared<Candidacy>(loop, settings, claim, events, std::move(*alarm));
    candidacy->look();
    return std::make_unique<Handle<Candidacy>>(std::move(candidacy));
}

}  // namespace conclave::engine
