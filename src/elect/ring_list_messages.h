// elect/ring_list_messages.h -- what goes round the list ring, and what a node keeps of it.
#pragma once
#include <algorithm>
#include <variant>

#include "elect/ring_parts.h"

namespace conclave::ring_list {

using List = Small<Key, 8>;
enum class Lap : std::uint8_t { collecting, announcing };

struct Election {  // first lap: add yourself
    Run run;
    List list;
};
struct Coordinator {  // second lap: these are the living, and this is the best of them
    Run run;
    Key leader;
    List list;
};
struct Ack {  // I have it: nobody else need be asked
    static constexpr bool repair = true;
    Run run;
    Lap lap;
};

inline bool lists(const List& list, NodeId node) {
    return std::ranges::find(list, node, &Key::node) != list.end();
}

// The runs of one round that came by, and how far each had got.
struct Trips {
    struct Trip {
        NodeId initiator;
        Lap lap;
    };
    Small<Trip, 2> list;

    bool has(Run run, Lap lap) const {
        return std::ranges::any_of(
            list, [&](const Trip& trip) { return trip.initiator == run.by && trip.lap >= lap; });
    }
    void note(Run run, Lap lap) {
        const auto known = std::ranges::find(list, run.by, &Trip::initiator);
        if (known != list.end()) {
            known->lap = lap;
        } else {
            list.push_back({run.by, lap});
        }
    }
};

// Something sent on. It is kept although acknowledged: if `to` dies, it may have died with it.
struct Hop {
    NodeId to;
    std::variant<Election, Coordinator> message;
    bool acked = false;

    Run run() const {
        return std::visit([](const auto& one) { return one.run; }, message);
    }
    Lap lap() const { return message.index() == 0 ? Lap::collecting : Lap::announcing; }
};

struct Hops {
    Small<Hop, 1> list;

    Hop* find(Run run, Lap lap) {
        return find_if([&](const Hop& hop) { return hop.run() == run && hop.lap() == lap; });
    }
    Hop* find(NodeId to) {
        return find_if([&](const Hop& hop) { return hop.to == to; });
    }

private:
    template <class Condition> Hop* find_if(Condition condition) {
        const auto found = std::ranges::find_if(list, condition);
        return found == list.end() ? nullptr : found;
    }
};

}  // namespace conclave::ring_list
