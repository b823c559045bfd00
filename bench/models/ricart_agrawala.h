// models/ricart_agrawala.h -- the algorithm as printed, for a race with Spin.
//
// The same steps and the same state as bench/spin/ricart_agrawala.pml, so that both count the same
// states. The algorithm that Conclave offers is mutex/ricart_agrawala.h.
#pragma once
#include <algorithm>
#include <array>
#include <span>
#include <variant>

#include "core/node_set.h"
#include "mutex/mutex.h"

namespace conclave {

struct PrintedRicartAgrawala {
    static constexpr Model assumes{Links::fifo, Timing::asynchronous, Faults::none};
    static constexpr Claim claim{
        Kind::mutex, "Ricart and Agrawala 1981", "one at a time", "", "2(N-1)", ""};
    static constexpr std::array<Fix, 0> fixes{};
    struct Config {
        FixSet fixes{};
    };
    static Config configure(const Settings&) { return {}; }
    static Duration settles_within(const Config&, std::size_t) { return {}; }

    struct Wanted {
        std::uint8_t stamp;
    };
    struct Ok {};
    using Message = std::variant<Wanted, Ok>;
    using Timer = std::variant<None>;
    using Request = std::variant<Enter, Leave>;
    using Notice = std::variant<Entered>;
    using Durable = None;
    struct History {  // of nothing: Spin does not follow the order of requests either
        void overtook(NodeId, NodeId) {}
    };
    using Turn = conclave::Turn<PrintedRicartAgrawala>;

    Section place = Section::outside;
    std::uint8_t stamp = 0, clock = 0;
    NodeSet missing;   // whose permission
    NodeSet deferred;  // who waits for mine

    Section section(Instant) const { return place; }
    static std::span<const Property<PrintedRicartAgrawala>> properties();

    void on(Turn&, const Booted<PrintedRicartAgrawala>&) {}
    void on(Turn& turn, Enter) {
        if (place != Section::outside) return;
        place = Section::waiting;
        stamp = ++clock;
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self) continue;
            missing.insert(member.node);
            turn.send(member.node, Wanted{stamp});
        }
    }
    void on(Turn& turn, Leave) {
        if (place != Section::inside) return;
        place = Section::outside;
        stamp = 0;
        for (NodeId node : deferred) turn.send(node, Ok{});
        deferred.clear();
    }
    void on(Turn& turn, NodeId from, Wanted wanted) {
        clock = std::max(clock, wanted.stamp);
        const bool mine_first = std::pair(stamp, turn.seat.self) < std::pair(wanted.stamp, from);
        if (place == Section::inside || (place == Section::waiting && mine_first)) {
            deferred.insert(from);
        } else {
            turn.send(from, Ok{});
        }
    }
    void on(Turn& turn, NodeId from, Ok) {
        missing.erase(from);
        if (!missing.empty()) return;
        place = Section::inside;
        turn.tell(Entered{});
    }
};

inline std::span<const Property<PrintedRicartAgrawala>> PrintedRicartAgrawala::properties() {
    static constexpr std::array all{
        Property<PrintedRicartAgrawala>{"one-inside", Demand::always,
                                        mutex::one_inside<PrintedRicartAgrawala>},
    };
    return all;
}

}  // namespace conclave
