// mutex/ricart_agrawala.h -- mutual exclusion by logical clocks (Ricart and Agrawala 1981): enter
// when everybody else agrees; requests are ordered by time stamp, and by id where those are equal.
//
// Ensures  one at a time inside; every request of a live process is granted, in the order in which
//          the requests happened before each other as long as nobody restarts.
// Breaks   if a message is lost: its sender, or whom it was meant for, waits for ever. If a slow
//          process is taken for a failed one: two inside. See
//          scenarios/ricart_agrawala_suspected_is_not_failed.txt.
//
// Options  retained   (Roucairol and Carvalho 1983) a permission stays until it is asked back:
//                     entering again is free while nobody else asks, but no longer in order.
//          majority   the lecture's second improvement, which is unsafe with these answers.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/small.h"
#include "mutex/mutex.h"

namespace conclave {

struct RicartAgrawala {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::mutex,
        "Ricart and Agrawala 1981; Roucairol and Carvalho 1983; lecture 003",
        "one inside at a time, no live request waits for ever, happened-before order kept",
        "a lost message blocks for ever; a false verdict on a live process lets two in",
        "2(N - 1) per entry; retained: 0 to 2(N - 1)",
        "client delay 2, synchronization delay 1",
    };
    enum FixIndex : std::size_t {
        name_request,
        failed_grants,
        reliable_only,
        ask_restarted,
        durable_clock,
        clock_in_all,
        observe,
        ask_again,
        give_away,
        exclusive_votes,
    };
    static constexpr std::array fixes{
        Fix{"name-request", "an OK names the request it answers (M-MX-RA3)"},
        Fix{"failed-grants", "a failed process has granted every request (MX-12)"},
        Fix{"reliable-only", "a mere suspicion is no failure (M-MX-RA4)"},
        Fix{"ask-restarted", "a process that is back has forgotten my request: it is asked again"},
        Fix{"durable-clock", "no life uses time stamps that an earlier one may have seen"},
        Fix{"clock-in-all", "every message has the clock, not only a new request (ME3)"},
        Fix{"observe", "messages of the application move the clock, too (ME3)"},
        Fix{"ask-again", "retained: who gives a permission away while waiting asks (M-MX-RC1)"},
        Fix{"give-away", "retained: who grants a request loses the asker's (M-MX-RC2)"},
        Fix{"exclusive-votes", "an OK is no vote: a majority of them lets two in (M-MX-4)"},
    };
    struct Config {
        FixSet fixes{};
        Duration round_trip{};
        bool retained = false;
        bool majority = false;
        std::uint64_t reserve = 100;  // ticks of the clock per save: a crash wastes the rest
    };
    static Config configure(const Settings& s) { return {{}, s.round_trip(), false, false, 100}; }
    // Hear that somebody is gone or back, ask it again, be let in.
    static Duration settles_within(const Config& config, std::size_t) {
        return 3 * config.round_trip;
    }
    template <class F> static void each_option(Config& config, F option) {
        option("retained", config.retained);
        option("majority", config.majority);
        option("reserve", config.reserve);
    }
    static std::optional<std::string> refuse(const Config& config) {
        if (!config.majority || !config.fixes.has(exclusive_votes)) return std::nullopt;
        return "an OK of this algorithm is given to many: for a majority that excludes take "
               "maekawa with sets=majority, or see it fail without exclusive-votes";
    }

    using Clock = Counter<struct LamportTag>;

    // Both carry their sender's clock: what a message brings about comes after it.
    struct Ask {  // the source's REQUEST: may I? The id that breaks ties is the sender's
        Clock time;
        Clock clock;
    };
    struct Ok {      // you may
        Clock time;  // of the request it answers
        Clock clock;
    };
    using Message = std::variant<Ask, Ok>;
    using Timer = std::variant<None>;

    struct Observe {  // a message of the application came, with the sender's stamp() on it
        Clock clock;
    };
    using Request = std::variant<Enter, Leave, Observe>;
    using Notice = std::variant<Entered, HolderDied>;
    struct Durable {
        Clock reserved;  // this life uses no time stamp above it
    };
    using Turn = conclave::Turn<RicartAgrawala>;
    using History = MutexHistory;

    enum class Phase : std::uint8_t { released, wanted, held };
    struct Deferred {
        NodeId node;
        Clock time;
    };
    bool reborn = false;  // not my first life
    Phase phase = Phase::released;
    Clock clock{};
    Clock time{};                 // of my request
    NodeSet have;                 // whose permission I have
    NodeSet failed;               // have granted everything
    NodeSet lent;                 // who had mine when last heard of, and may be inside
    Small<Deferred, 4> deferred;  // by id: whom I answer when I leave
    Durable durable{};

    Section section(Instant) const {
        if (phase == Phase::released) return Section::outside;
        return phase == Phase::held ? Section::inside : Section::waiting;
    }
    Clock stamp() const { return clock; }
    static std::span<const Property<RicartAgrawala>> properties();

    void on(Turn& turn, const Booted<RicartAgrawala>& booted) {
        reborn = turn.seat.incarnation > Incarnation{1};
        durable = booted.durable;
        clock = durable.reserved;
    }

    void on(Turn& turn, Enter) {
        if (phase != Phase::released) return;
        advance(turn, clock.next());
        phase = Phase::wanted;
        time = clock;
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self || granted(member.node)) continue;
            turn.send(member.node, Ask{time, clock});
        }
        enter_if_agreed(turn);
    }
    void on(Turn& turn, Leave) {
        if (phase != Phase::held) return;
        phase = Phase::released;
        for (const Deferred& one : deferred) give(turn, one.node, one.time);
        deferred.clear();
        if (!turn.config().retained) have.clear();
    }
    void on(Turn& turn, Observe side_message) {
        if (turn.fixed(observe)) advance(turn, side_message.clock);
    }

    void on(Turn& turn, NodeId from, Ask ask) {
        advance(turn, turn.fixed(clock_in_all) ? ask.clock : ask.time);
        const bool mine_first = std::pair(time, turn.seat.self) < std::pair(ask.time, from);
        if (phase == Phase::held || (phase == Phase::wanted && mine_first)) {
            return defer(from, ask.time);
        }
        const bool lost = give(turn, from, ask.time);
        if (!lost || phase == Phase::released || !turn.fixed(ask_again)) return;
        turn.send(from, Ask{time, clock});
    }
    void on(Turn& turn, NodeId from, Ok ok) {
        if (turn.fixed(clock_in_all)) advance(turn, ok.clock);
        if (phase != Phase::wanted) return;
        if (turn.fixed(name_request) && ok.time != time) return;  // to a request that is over
        have.insert(from);
        lent.erase(from);
        enter_if_agreed(turn);
    }

    void on(Turn& turn, Failed peer) {
        if (turn.fixed(failed_grants)) count_as_granted(turn, peer.node);
    }
    void on(Turn& turn, Suspected peer) {
        if (!turn.fixed(reliable_only)) count_as_granted(turn, peer.node);
    }
    void on(Turn& turn, Trusted peer) {
        if (failed.erase(peer.node)) remind(turn, peer.node);
    }
    // A permission that its old life gave still holds: the new one's requests are all later.
    void on(Turn& turn, Restarted peer) {
        bury(turn, peer.node);
        failed.erase(peer.node);
        remind(turn, peer.node);
    }

private:
    bool granted(NodeId node) const { return have.contains(node) || failed.contains(node); }

    void advance(Turn& turn, Clock to) {
        clock = std::max(clock, to);
        if (!turn.fixed(durable_clock) || clock <= durable.reserved) return;
        durable.reserved = Clock{clock.value + turn.config().reserve};
        turn.save(durable);
    }
    void enter_if_agreed(Turn& turn) {
        if (phase != Phase::wanted) return;
        const std::size_t everybody = turn.seat.members.size();
        const bool voting = turn.config().majority && !turn.fixed(exclusive_votes);
        const std::size_t needed = voting ? everybody / 2 + 1 : everybody;
        if ((have | failed).size() + 1 < needed) return;
        phase = Phase::held;
        turn.tell(Entered{});
    }
    // Whether I have lost a permission by it: of two, at most one has the other's.
    bool give(Turn& turn, NodeId node, Clock asked) {
        turn.send(node, Ok{asked, clock});
        lent.insert(node);
        return turn.fixed(give_away) && have.erase(node);
    }
    void defer(NodeId node, Clock asked) {
        lent.erase(node);  // who asks is outside
        auto place = std::ranges::lower_bound(deferred, node, {}, &Deferred::node);
        if (place == deferred.end() || place->node != node) {
            place = deferred.insert(place, {node, asked});
        }
        place->time = std::max(place->time, asked);
    }

    void count_as_granted(Turn& turn, NodeId node) {
        bury(turn, node);
        failed.insert(node);
        enter_if_agreed(turn);
    }
    // Its request has died with it. So may have what it did inside: nobody else knows more.
    void bury(Turn& turn, NodeId node) {
        erase_if(deferred, [node](const Deferred& one) { return one.node == node; });
        if (lent.erase(node)) turn.tell(HolderDied{node});
    }
    void remind(Turn& turn, NodeId node) {
        if (phase != Phase::wanted || granted(node) || !turn.fixed(ask_restarted)) return;
        turn.resend(node, Ask{time, clock});
    }

    // Claimed where everybody asks everybody. Retained permissions are used without asking, and
    // who is back may say that it asks before the others have heard that it lives.
    static std::optional<std::string> order_kept(const View<RicartAgrawala>& view) {
        const auto asked = [](const auto& node) { return node.up && !node.state->reborn; };
        if (view.config.retained || !std::ranges::all_of(view.nodes, asked)) return std::nullopt;
        return mutex::order_kept(view);
    }
};
static_assert(Protocol<RicartAgrawala>);

inline std::span<const Property<RicartAgrawala>> RicartAgrawala::properties() {
    using P = RicartAgrawala;
    static constexpr std::array list{
        Property<P>{"one-inside", Demand::always, mutex::one_inside<P>},
        Property<P>{"nobody-waits", Demand::settled, mutex::nobody_waits<P>},
        Property<P>{"order-kept", Demand::always, order_kept},
        Property<P>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<P>},
    };
    return list;
}

}  // namespace conclave
