// core/samples_test.h -- for tests: a struct with a field of every shape, and random ones of it.
#pragma once
#include <rapidcheck.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/table.h"
#include "core/value.h"

namespace conclave::samples {

enum class Phase : std::uint8_t { idle, waiting, held = 5 };

struct Ping {};
struct Vote {
    NodeId from{};
    Epoch epoch;
};
struct Grant {
    std::optional<NodeId> holder;
    Key best;
    Wait wait;
};
using Message = std::variant<Ping, Vote, Grant>;

template <class T> struct Box {
    enum class Lid { open, shut };
    T content{};
    Lid lid = Lid::shut;
};

// Looks like a protocol: nested types, constants, rules and helpers beside its state.
struct Everything {
    static constexpr int limit = 3;
    struct Nested {
        Small<Vote, 2> votes;
        std::optional<Grant> grant;
    };

    bool busy = false;
    std::int16_t small = 0;
    std::uint64_t large = 0;
    char letter = 0;
    Phase phase = Phase::idle;
    double mean = 0;
    Duration length{};
    Instant end{};
    Nonce nonce;
    std::string name;
    NodeSet awaited;
    std::monostate nothing;
    std::optional<NodeId> leader;
    std::optional<std::string> comment;
    Message last;
    std::optional<Message> next;
    std::pair<Round, Vote> round;
    std::array<std::optional<bool>, 2> flags;
    std::vector<Grant> grants;
    std::vector<std::byte> payload;
    Small<Message, 2> queue;
    Small<Ping> pings;
    Table<std::string, Box<std::uint32_t>> locks;
    Table<Nonce, Ping> asked;
    Nested nested;
    Ping ping;

    void on(int) { reset(); }

private:
    void reset() { busy = false; }
};

template <class T> T any() { return *rc::gen::arbitrary<T>(); }

inline NodeId any_node() { return static_cast<NodeId>(*rc::gen::inRange<std::uint32_t>(0, 300)); }
inline Duration any_length() { return Duration(any<Duration::rep>()); }
inline Vote any_vote() { return {any_node(), {any<std::uint64_t>()}}; }
inline Grant any_grant() {
    Grant grant;
    if (any<bool>()) grant.holder = any_node();
    grant.best = {any<Attribute>(), any_node()};
    grant.wait = {any_length(), any_length()};
    return grant;
}
inline Message any_message() {
    switch (*rc::gen::inRange(0, 3)) {
        case 0:
            return Ping{};
        case 1:
            return any_vote();
        default:
            return any_grant();
    }
}
inline int few() { return *rc::gen::inRange(0, 5); }

inline Everything any_everything() {
    Everything it;
    it.busy = any<bool>();
    it.small = any<std::int16_t>();
    it.large = any<std::uint64_t>();
    it.letter = any<char>();
    it.phase = static_cast<Phase>(any<std::uint8_t>());
    it.mean = any<double>();
    it.length = any_length();
    it.end = Instant(any_length());
    it.nonce = {any<std::uint64_t>()};
    it.name = any<std::string>();
    for (int i = few(); i > 0; --i) it.awaited.insert(any_node());
    if (any<bool>()) it.leader = any_node();
    if (any<bool>()) it.comment = any<std::string>();
    it.last = any_message();
    if (any<bool>()) it.next = any_message();
    it.round = {{any<std::uint64_t>()}, any_vote()};
    for (auto& flag : it.flags)
        if (any<bool>()) flag = any<bool>();
    for (int i = few(); i > 0; --i) it.grants.push_back(any_grant());
    for (int i = few(); i > 0; --i) it.payload.push_back(std::byte{any<std::uint8_t>()});
    for (int i = few(); i > 0; --i) it.queue.push_back(any_message());
    it.pings.resize(static_cast<std::size_t>(few()));
    for (int i = few(); i > 0; --i) it.locks[any<std::string>()].content = any<std::uint32_t>();
    for (int i = few(); i > 0; --i) it.asked.insert({any<std::uint64_t>()}, {});
    for (int i = few(); i > 0; --i) it.nested.votes.push_back(any_vote());
    if (any<bool>()) it.nested.grant = any_grant();
    return it;
}

}  // namespace conclave::samples
