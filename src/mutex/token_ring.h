// mutex/token_ring.h -- a token goes round a ring; whoever has it may enter.
//
// Ensures  one at a time, and everybody who waits gets the token within one round.
// Breaks   if the token is lost and nobody may replace it: nobody ever enters again. See
//          scenarios/token_ring_lost_token.txt. Order of requests is not kept: who is nearer wins.
//
// Alone it is the sources' algorithm, which survives nothing. Standing on an election it survives
// what that election does: the leader replaces a lost token (mutex/census.h), and the holder may be
// inside only while its lease is valid (mutex/lease.h).
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "core/node_set.h"
#include "mutex/census.h"
#include "mutex/lease.h"
#include "mutex/mutex.h"

namespace conclave {

template <Model model> struct TokenRingUnder {
    static constexpr Model assumes = model;
    static constexpr Claim claim{
        Kind::mutex,
        "Le Lann 1977; lecture 003",
        "one at a time; who waits enters within a round of the token",
        "without a leader a lost token or a crash ends all service; requests overtake each other",
        "1 when all want it, unbounded when nobody does",
        "wait 0 to N hops, synchronization 1 to N - 1",
    };
    static constexpr bool restless = true;                     // an idle token never stops
    static constexpr bool led = model.faults != Faults::none;  // an election stands below
    enum FixIndex : std::size_t { leader_only, lease_wait, token_number };
    static constexpr std::array fixes{
        Fix{"leader-only", "a lost token is replaced by the leader, not by whoever misses it"},
        Fix{"lease-wait", "who does not answer is out of the section before there is a new token"},
        Fix{"token-number", "a copy of a token that was here before is dropped"},
    };
    struct Config {
        FixSet fixes{};
        census::Terms census{};
        Duration hop{};     // the longest way to the next
        Duration rest{};    // how long an idle node keeps the token
        bool park = false;  // until somebody wants it, that is, and sends for it
        Direction direction = Direction::next;
    };
    static Config configure(const Settings& s) {
        const Duration hop = s.tm + s.tp;
        return {{}, census::configure(s, hop), hop, {}, false, s.direction};
    }
    // Once round, sent for or after a rest at each; and before that the token is missed, those who
    // do not answer are waited out, and a lease is asked for.
    static Duration settles_within(const Config& config, std::size_t nodes) {
        const auto n = static_cast<std::int64_t>(nodes);
        const Duration round = n * (2 * config.hop + config.rest);
        if (!led) return round;
        return 2 * round + config.census.patience + config.census.lease_over() +
               2 * config.census.renewal_period() + 4 * config.census.answer;
    }
    template <class F> static void each_option(Config& config, F option) {
        option("rest", config.rest);
        option("park", config.park);
        census::each_option(config.census, option);
    }

    struct Token {
        Stamp stamp;
    };
    struct Wanted {};  // against the token's way: somebody behind me waits
    using Message = std::variant<Token, Wanted, census::Count, census::Counted, census::Extend,
                                 census::Extended>;

    struct RestOver {};  // on with the token
    struct Lost {};      // it has not come back (without leader-only)
    using Timer = std::variant<RestOver, Lost, census::Recount, census::WaitedOut, census::Missing,
                               census::ExtendDue>;

    using Request = std::variant<Enter, Leave>;
    using Notice = std::variant<Entered, Ousted>;
    using Durable = Census::Durable;
    using History = MutexHistory;
    using Turn = conclave::Turn<TokenRingUnder>;

    Section place = Section::outside;
    std::optional<Stamp> token;
    bool wanted = false;  // by somebody behind me, who has sent for it
    NodeSet suspected;    // the token is not for them
    Census census{};
    Lease lease{};

    Section section(Instant now) const {
        const bool over = led && place == Section::inside && !lease.valid(now);
        return over ? Section::outside : place;
    }
    static std::span<const Property<TokenRingUnder>> properties();

    void expire(Turn& turn) {
        if (section(turn.now) == place) return;
        turn.tell(Ousted{});
        step_out(turn);
    }

    void on(Turn& turn, const Booted<TokenRingUnder>& booted) {
        census.boot(booted.durable);
        const NodeId first = turn.seat.members[0].node;
        if (!led && turn.seat.self == first && turn.seat.incarnation == Incarnation{1}) {
            on(turn, first, Token{{{}, {1}}});  // nobody counted for it
        } else {
            await_return(turn);
        }
    }
    void on(Turn& turn, Enter) {
        if (place != Section::outside) return;
        place = Section::waiting;
        if (led) lease.ask(turn, census, holds());
        if (!holds() && turn.config().park && !wanted) send_for(turn);
        try_to_enter(turn);
    }
    void on(Turn& turn, Leave) {
        if (place == Section::inside) step_out(turn);
    }

    void on(Turn& turn, NodeId from, Token arrived) {
        suspected.erase(from);  // who speaks is there
        if (!census.admit(turn, arrived.stamp)) return;
        token = arrived.stamp;
        turn.disarm(Lost{});
        if (place == Section::outside) return move_on(turn);
        if (led && !lease.valid(turn.now)) lease.ask(turn, census, true);
        try_to_enter(turn);
    }
    void on(Turn& turn, NodeId from, Wanted) {
        suspected.erase(from);
        if (wanted) return;  // sent for already
        wanted = true;
        if (holds()) return move_on(turn);
        if (place == Section::outside) send_for(turn);
    }
    void on(Turn& turn, RestOver) {
        if (holds() && place == Section::outside) pass(turn);
    }
    void on(Turn& turn, Lost) {  // as if nobody else had missed it, and it were not merely late
        const Generation newest = census.promised;
        on(turn, turn.seat.self, Token{{{newest.epoch, newest.round.next(), turn.seat.self}, {0}}});
    }

    // Who is there.
    void on(Turn&, Suspected peer) { suspected.insert(peer.node); }
    void on(Turn& turn, Trusted peer) {
        suspected.erase(peer.node);
        census.trusted(peer);
        move_on(turn);  // perhaps I thought I was alone
    }
    void on(Turn& turn, Failed peer) {
        suspected.insert(peer.node);
        if (census.crashed(turn, peer)) replace(turn);
    }
    void on(Turn& turn, Restarted peer) {
        suspected.erase(peer.node);
        if (census.restarted(turn, peer)) replace(turn);
        move_on(turn);
    }

    // The leader counts.
    void on(Turn& turn, const LeaderIs& is) {
        if (census.led_by(turn, is)) replace(turn);
    }
    void on(Turn& turn, NodeId from, const census::Count& count) {
        suspected.erase(from);
        census.on(turn, from, count);
    }
    void on(Turn& turn, NodeId from, const census::Counted& answer) {
        suspected.erase(from);
        if (census.on(turn, from, answer)) replace(turn);
    }
    void on(Turn& turn, census::Recount due) { census.on(turn, due); }
    void on(Turn& turn, census::WaitedOut due) {
        if (census.on(turn, due)) replace(turn);
    }
    void on(Turn& turn, census::Missing due) {
        if (census.on(turn, due)) replace(turn);
    }

    // Leases.
    void on(Turn& turn, NodeId from, const census::Extend& wish) {
        if (census.on(turn, from, wish)) replace(turn);
    }
    void on(Turn& turn, NodeId, const census::Extended& answer) {
        if (lease.granted(turn, census, answer)) try_to_enter(turn);
    }
    void on(Turn& turn, census::ExtendDue) {
        if (place == Section::outside) return;  // ousted this very moment
        if (lease.ask(turn, census, holds())) try_to_enter(turn);
    }

private:
    bool holds() const { return token && token->generation == census.promised; }

    void try_to_enter(Turn& turn) {
        if (place != Section::waiting || !holds()) return;
        if (led && !lease.valid(turn.now)) return;
        place = Section::inside;
        turn.disarm(RestOver{});
        turn.tell(Entered{});
    }
    void step_out(Turn& turn) {
        place = Section::outside;
        if (led) lease.stop_asking(turn);
        move_on(turn);
    }
    // With a token that nobody here wants.
    void move_on(Turn& turn) {
        if (holds() && place == Section::outside && !rests(turn)) pass(turn);
    }
    bool rests(Turn& turn) const {
        if (neighbour(turn, 1) == turn.seat.self) return true;  // all others are gone
        // A new one goes round once: somebody may have sent for the one that was lost.
        if (wanted || (led && token->number.value < turn.seat.members.size())) return false;
        if (turn.config().park) return true;
        if (turn.config().rest == Duration{}) return false;
        turn.arm(RestOver{}, turn.config().rest);
        return true;
    }
    void pass(Turn& turn) {
        turn.send(neighbour(turn, 1), Token{{token->generation, token->number.next()}});
        token.reset();
        wanted = false;
        await_return(turn);
    }
    void send_for(Turn& turn) const { turn.send(neighbour(turn, -1), Wanted{}); }
    void await_return(Turn& turn) const {
        if (!turn.fixed(leader_only)) turn.arm(Lost{}, turn.config().census.patience);
    }
    // The count is complete: nobody but the heir can be inside, and no other token counts.
    void replace(Turn& turn) {
        const Token made{{census.generation, {0}}};
        if (census.heir == turn.seat.self) return on(turn, turn.seat.self, made);
        turn.resend(census.heir, made);
    }
    // The next on the token's way, or against it, that is not suspected; myself at the latest.
    NodeId neighbour(const Turn& turn, std::ptrdiff_t step) const {
        NodeId node = turn.seat.self;
        do {
            node = turn.seat.members.around(
                node, step * static_cast<std::ptrdiff_t>(turn.config().direction));
        } while (node != turn.seat.self && suspected.contains(node));
        return node;
    }
};

template <Model model>
inline std::span<const Property<TokenRingUnder<model>>> TokenRingUnder<model>::properties() {
    using Ring = TokenRingUnder;
    static constexpr std::array list{
        Property<Ring>{"one-inside", Demand::always, mutex::one_inside<Ring>},
        Property<Ring>{"nobody-waits", Demand::settled, mutex::nobody_waits<Ring>},
        Property<Ring>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<Ring>},
    };
    return list;
}

using TokenRing = TokenRingUnder<Model{Links::reliable, Timing::asynchronous, Faults::none}>;
static_assert(Protocol<TokenRing>);

}  // namespace conclave
