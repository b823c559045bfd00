// core/property.h -- named statements about a whole group, judged over a View of it.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/members.h"
#include "core/protocol.h"
#include "core/small.h"

namespace conclave {

// Which links are cut, each direction by itself. Small: a handful of cuts at a time.
struct Cuts {
    using Link = std::pair<NodeId, NodeId>;  // from, to
    Small<Link, 4> links;

    bool contains(NodeId from, NodeId to) const {
        return !links.empty() && links.contains(Link{from, to});
    }
    void cut(NodeId from, NodeId to) {
        if (!links.contains(Link{from, to})) links.push_back({from, to});
    }
    void heal(NodeId from, NodeId to) {
        for (auto link = links.begin(); link != links.end(); ++link) {
            if (*link == Link{from, to}) return static_cast<void>(links.erase(link));
        }
    }
};

// Names a leader, or nobody: every election does.
template <class P>
concept Elects = requires(const P& state) {
    { state.elected(Instant{}) } -> std::same_as<std::optional<NodeId>>;
};

// One node as a property sees it.
template <class P> struct Standing {
    NodeId node;
    const P* state;
    bool up;
    Attribute attribute;
    Instant now;  // on this node's own clock

    Key key() const { return {attribute, node}; }
};

template <class P> struct HistoryOf { using type = None; };
template <class P>
requires requires { typename P::History; }
struct HistoryOf<P> {
    using type = typename P::History;
};
// What was told so far, folded into a value: the world feeds it every notice.
template <class P> using History = typename HistoryOf<P>::type;

template <class P> struct View {
    std::span<const Standing<P>> nodes;
    const MemberList& members;
    const typename P::Config& config;
    const Cuts& cuts;
    const History<P>& history;
    Instant now;  // true time, which no node knows

    bool linked(const Standing<P>& a, const Standing<P>& b) const {
        return !cuts.contains(a.node, b.node) && !cuts.contains(b.node, a.node);
    }
};

enum class Demand : std::uint8_t {
    always,       // in every reachable state
    sometimes,    // in at least one: guards against empty success
    settled,      // once faults have stopped and the world has had its time: then and ever after
    recoverable,  // from every reachable state, without further faults, it can still come about
    eventually,   // ... and it does come about, again and again, if nobody is kept from acting
};

template <class P> struct Property {
    std::string_view name;
    Demand demand = Demand::always;
    // What is wrong, or nothing. For `sometimes`: nothing where it is seen.
    std::optional<std::string> (*broken)(const View<P>&) = nullptr;
};

template <class P>
concept Judged = requires {
    { P::properties() } -> std::convertible_to<std::span<const Property<P>>>;
};

}  // namespace conclave
