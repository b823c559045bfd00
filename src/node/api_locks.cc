#include "node/api_locks.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "node/api_body.h"
#include "node/log_line.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

using Exchange = std::shared_ptr<net::Exchange>;
using How = SessionLocks::Verdict::How;
using Mode = locks::Terms::Mode;

const std::string& lock_of(const Exchange& exchange) {
    return exchange->request().parameters.find("lock")->second;
}

// As applications compare it, and the resource that refuses the smaller one.
std::string token_text(const locks::Token& token) {
    return std::to_string(token.epoch.value) + "." + std::to_string(token.number);
}

std::string_view mode_text(Mode mode) {
    switch (mode) {
        case Mode::exclusive:
            return "exclusive";
        case Mode::shared:
            return "shared";
        case Mode::slot:
            break;
    }
    return "slot";
}

std::optional<locks::Terms> terms_of(const Exchange& exchange) {
    const std::string mode = field(exchange, "mode").value_or("exclusive");
    const auto slots = number_field(exchange, "slots");
    constexpr std::uint64_t most = 1'000'000;
    if (mode == "exclusive" && !slots) return locks::Terms{Mode::exclusive, 1};
    if (mode == "shared" && !slots) return locks::Terms{Mode::shared, 1};
    if (mode != "slot" || !slots || *slots == 0 || *slots > most) return std::nullopt;
    return locks::Terms{Mode::slot, static_cast<std::uint32_t>(*slots)};
}

json::object party_view(const Node& node, const locks::Party& party) {
    const NodeId member = party.session.client;
    const std::string unnamed = is_guest(party.session) ? "unnamed" : node.name_of(member);
    json::object view{{"name", party.name.empty() ? unnamed : as_utf8(party.name)},
                      {"mode", mode_text(party.terms.mode)},
                      {"since_ms", milliseconds(party.since)}};
    if (party.terms.mode == Mode::slot) view["slots"] = party.terms.slots;
    return view;
}

json::object lock_view(const Node& node, const locks::LockView& lock) {
    json::array holders, waiters;
    for (const locks::Party& one : lock.holders) {
        json::object view = party_view(node, one);
        view["token"] = token_text(one.token);
        view["dismissed"] = one.dismissed;
        holders.push_back(std::move(view));
    }
    for (const locks::Party& one : lock.waiters) waiters.push_back(party_view(node, one));
    return {{"lock", as_utf8(lock.lock)},
            {"holders", std::move(holders)},
            {"waiters", std::move(waiters)}};
}

void nobody_answers(const Exchange& exchange) {
    exchange->problem(503, "No answer",
                      "nobody leads the lock service at the moment, or it does not answer");
}

}  // namespace

void LocksApi::add_to(net::Router& router, const Gate& gate) {
    const auto method = [this](void (LocksApi::*which)(const Exchange&)) {
        return [this, which](const Exchange& one) {
            if (served(one)) (this->*which)(one);
        };
    };
    router.add("GET /v1/locks", "locks", method(&LocksApi::list));
    router.add("DELETE /v1/locks/{lock}", "dismiss", gate.deed(method(&LocksApi::dismiss)));
    router.add("POST /v1/locks/{lock}/acquire", "acquire", gate.deed(method(&LocksApi::acquire)));
    router.add("POST /v1/locks/{lock}/release", "release", gate.deed(method(&LocksApi::release)));
}

bool LocksApi::served(const Exchange& exchange) {
    if (node_.session_locks()) return true;
    exchange->problem(404, "No locks", "this node has no [locks] in its configuration");
    return false;
}

void LocksApi::list(const Exchange& exchange) {
    node_.list_locks([this, exchange](const std::optional<locks::LockList>& list) {
        if (!list) return nobody_answers(exchange);
        json::array all;
        for (const locks::LockView& one : list->locks) all.push_back(lock_view(node_, one));
        respond(exchange, json::object{{"locks", std::move(all)}, {"total", list->total}});
    });
}

void LocksApi::acquire(const Exchange& exchange) {
    SessionLocks::Wish wish{field(exchange, "session").value_or(""), {}, lock_of(exchange), {}, {}};
    const auto wait = duration(field(exchange, "wait").value_or("0s"));
    if (!wait) return exchange->problem(400, "Bad wait", "wait is a duration, like \"5s\"");
    const auto terms = terms_of(exchange);
    if (!terms) {
        return exchange->problem(400, "Bad mode",
                                 "mode is exclusive or shared, or slot with slots of 1 or more");
    }
    if (const auto limit = locks::beyond(wish.lock, 0)) {
        return exchange->problem(400, "Bad name", words(*limit));
    }
    if (!node_.sessions().remaining(wish.session, node_.now())) return session_gone(exchange);
    wish.name = node_.sessions().name_of(wish.session);
    wish.wait = std::min(*wait, longest_poll);
    wish.terms = *terms;
    const auto ticket = node_.session_locks()->acquire(
        wish, [this, exchange, wish](const auto& verdict) { tell(exchange, wish, verdict); });
    if (exchange->pending())
        exchange->on_gone([this, ticket] { node_.session_locks()->withdraw(ticket); });
}

void LocksApi::tell(const Exchange& exchange, const SessionLocks::Wish& wish,
                    const SessionLocks::Verdict& verdict) {
    const std::string lock = "'" + wish.lock + "'";
    switch (verdict.how) {
        case How::granted: {
            const auto remaining = node_.sessions().remaining(wish.session, verdict.held.until);
            if (!remaining) return session_gone(exchange);
            return respond(exchange, json::object{{"token", token_text(verdict.held.token)},
                                                  {"remaining_ms", milliseconds(*remaining)}});
        }
        case How::busy:
            return exchange->problem(409, "Busy", lock + " is held by somebody else");
        case How::asked_again:
            return exchange->problem(409, "Busy", "this session has asked for it again meanwhile");
        case How::other_terms:
            return exchange->problem(409, "Busy", "this session has asked for it in another mode");
        case How::turned_down:
            return exchange->problem(409, "Too many", words(verdict.limit));
        case How::unanswered:
            return nobody_answers(exchange);
        case How::session_gone:
            return session_gone(exchange);
    }
}

void LocksApi::release(const Exchange& exchange) {
    const std::string session = field(exchange, "session").value_or("");
    const std::string token = field(exchange, "token").value_or("");
    const std::string& lock = lock_of(exchange);
    if (!node_.sessions().remaining(session, node_.now())) return session_gone(exchange);
    const auto held = node_.session_locks()->held(session, lock);
    if (!held || token_text(held->token) != token) {
        return exchange->problem(409, "Not held", "this session does not hold it by that token");
    }
    node_.session_locks()->release(session, lock);
    exchange->respond(204, json_type, "");
}

void LocksApi::dismiss(const Exchange& exchange) {
    const std::string& lock = lock_of(exchange);
    node_.dismiss(lock, [exchange, lock](std::optional<std::uint64_t> holders) {
        if (!holders) return nobody_answers(exchange);
        if (*holders == 0) return exchange->problem(409, "Not held", "nobody holds '" + lock + "'");
        respond(exchange, json::object{{"lock", lock}, {"dismissed", *holders}}, 202);
    });
}

json::array LocksApi::held_by(const std::string& session) {
    json::array list;
    if (!node_.session_locks()) return list;
    for (const SessionLocks::Held& one : node_.session_locks()->held(session)) {
        const auto remaining = node_.sessions().remaining(session, one.until);
        if (!remaining) continue;
        list.push_back(json::object{{"lock", one.lock},
                                    {"token", token_text(one.token)},
                                    {"remaining_ms", milliseconds(*remaining)}});
    }
    return list;
}

}  // namespace conclave::node
