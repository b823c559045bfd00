// models/chang_roberts.h -- the ring election as printed, for a race with Spin.
//
// The same steps and the same state as bench/spin/chang_roberts.pml, so that both count the same
// states. The election that Conclave offers is elect/ring.h.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <variant>

#include "elect/election.h"

namespace conclave {

struct ChangRoberts {
    static constexpr Model assumes{Links::fifo, Timing::asynchronous, Faults::none};
    static constexpr Claim claim{
        Kind::election, "Chang and Roberts 1979", "one leader", "", "", ""};
    static constexpr std::array<Fix, 0> fixes{};
    struct Config {
        FixSet fixes{};
    };
    static Config configure(const Settings&) { return {}; }
    static Duration settles_within(const Config&, std::size_t) { return {}; }

    struct Election {
        NodeId key;
    };
    struct Elected {
        NodeId key;
    };
    using Message = std::variant<Election, Elected>;
    using Timer = std::variant<None>;
    using Request = std::variant<Campaign>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<ChangRoberts>;

    bool participant = false;
    std::optional<NodeId> leader;

    std::optional<NodeId> elected(Instant) const { return leader; }
    static std::span<const Property<ChangRoberts>> properties();

    void on(Turn&, const Booted<ChangRoberts>&) {}
    void on(Turn& turn, Campaign) {
        if (participant || leader) return;
        stand(turn);
    }
    void on(Turn& turn, NodeId, Election election) {
        if (election.key == turn.seat.self) {
            participant = false;
            leader = turn.seat.self;
            pass_on(turn, Elected{turn.seat.self});
        } else if (election.key > turn.seat.self) {
            participant = true;
            pass_on(turn, election);
        } else if (!participant) {
            stand(turn);
        }
    }
    void on(Turn& turn, NodeId, Elected elected) {
        if (elected.key == turn.seat.self) return;
        participant = false;
        leader = elected.key;
        pass_on(turn, elected);
    }

private:
    void stand(Turn& turn) {
        participant = true;
        pass_on(turn, Election{turn.seat.self});
    }
    template <class M> static void pass_on(Turn& turn, M message) {
        const MemberList& members = turn.seat.members;
        const std::size_t at = members.index_of(turn.seat.self);
        turn.send(members[(at + 1) % members.size()].node, message);
    }
};

inline std::span<const Property<ChangRoberts>> ChangRoberts::properties() {
    static constexpr std::array all{
        Property<ChangRoberts>{"one-leader", Demand::always,
                               [](const View<ChangRoberts>& view) -> std::optional<std::string> {
                                   std::size_t leaders = 0;
                                   for (const auto& node : view.nodes) {
                                       leaders += node.state->leader == node.node;
                                   }
                                   if (leaders < 2) return std::nullopt;
                                   return std::to_string(leaders) + " leaders";
                               }},
    };
    return all;
}

}  // namespace conclave
