// mutex/path_group_test.h -- for tests: a whole group of path-token nodes, its mail in our hands.
#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "mutex/path_token.h"

namespace conclave {

class PathGroup {
public:
    struct Letter {
        NodeId from, to;
        PathToken::Message message;
    };

    // Nodes 1..n, booted: 1 has the token, everybody else guesses 1. These fixes are off.
    explicit PathGroup(std::uint32_t nodes, std::initializer_list<std::size_t> without = {})
        : states(nodes) {
        std::vector<Member> list(nodes);
        for (std::uint32_t at = 0; at < nodes; ++at) list[at].node = NodeId{at + 1};
        members_ = MemberList(std::move(list));
        for (std::size_t fix : without) config_.fixes.drop(fix);
        for (std::uint32_t id = 1; id <= nodes; ++id) happens(id, Booted<PathToken>{});
    }

    std::vector<PathToken> states;
    std::deque<Letter> mail;  // under way, in the order sent
    std::uint64_t asks = 0, tokens = 0;
    std::vector<std::uint32_t> entered;

    PathToken& operator[](std::uint32_t id) { return states[id - 1]; }
    bool inside(std::uint32_t id) { return (*this)[id].section({}) == Section::inside; }
    std::optional<std::uint32_t> guess(std::uint32_t id) {
        return (*this)[id].list.dir ? std::optional(number(*(*this)[id].list.dir)) : std::nullopt;
    }
    std::optional<std::uint32_t> after(std::uint32_t id) {
        return (*this)[id].list.next ? std::optional(number(*(*this)[id].list.next)) : std::nullopt;
    }

    // 1 guesses 2, 2 guesses 3, and so on to the last, who has the token.
    void stand_in_a_row() {
        for (std::size_t at = 0; at + 1 < states.size(); ++at) {
            states[at].list.dir = members_[at + 1].node;
            states[at].list.token = false;
        }
        states.back().list.dir.reset();
        states.back().list.token = true;
    }

    void enter(std::uint32_t id) { happens(id, Asked<PathToken>{Enter{}}); }
    void leave(std::uint32_t id) { happens(id, Asked<PathToken>{Leave{}}); }
    void deliver(std::size_t which = 0) {
        const Letter letter = mail[which];
        mail.erase(mail.begin() + static_cast<std::ptrdiff_t>(which));
        happens(number(letter.to), Received<PathToken>{letter.from, letter.message});
    }
    void copy(std::size_t which = 0) { mail.push_back(mail[which]); }
    void deliver_all() {
        while (!mail.empty()) deliver();
    }
    // In and out again, with nobody else about.
    void visit(std::uint32_t id) {
        enter(id);
        deliver_all();
        assert(inside(id));
        leave(id);
    }

private:
    template <class E> void happens(std::uint32_t id, const E& event) {
        effects_.list.clear();
        const Seat<PathToken> seat{NodeId{id}, members_, config_, 0, Incarnation{1}};
        step((*this)[id], seat, Instant{}, event, effects_);
        for (const Effect<PathToken>& effect : effects_.list) {
            if (const auto* send = std::get_if<Send<PathToken>>(&effect)) {
                ++(std::holds_alternative<PathToken::Token>(send->message) ? tokens : asks);
                mail.push_back({NodeId{id}, send->to, send->message});
            } else if (std::holds_alternative<Tell<PathToken>>(effect)) {
                entered.push_back(id);
            }
        }
    }

    MemberList members_;
    PathToken::Config config_{};
    Effects<PathToken> effects_;
};

}  // namespace conclave
