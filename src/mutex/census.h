// mutex/census.h -- how a lost token is replaced exactly once: the leader counts who may have it.
//
// A part of the protocols that pass a token on. The elected leader asks all members; who answers
// promises to take no token of an older generation, so an old one that turns up is dropped. Who
// does not answer is waited out: it may be inside only while its lease is valid (mutex/lease.h).
// The new token goes to the one who had the newest old one, and may still be inside with it.
//
// The host has it as a member, `census`; Census::Durable as its Durable; census::Terms as `census`
// in its Config; fixes `lease_wait` and `token_number` in its FixIndex; a rule for every message
// and timer below that calls the method of the same name. Where a method returns true the count is
// complete: the host makes Stamp{generation, 0} and hands it to `heir`. A token is void unless its
// generation is `promised`, and whatever else belongs to an older generation is void as well.
#pragma once
#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>

#include "core/node_set.h"
#include "core/protocol.h"

namespace conclave {

// Which count made a token. A new leadership's are newer than all of an older one's, and no two
// counts have the same: a member's promise is durable, and a leader counts above its own.
struct Generation {
    Epoch epoch{};
    Round round{};
    NodeId leader{};
    friend auto operator<=>(const Generation&, const Generation&) = default;
};

// A token's number: it grows with every hand that takes it.
struct Stamp {
    Generation generation{};
    Round number{};
    friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

namespace census {

struct Terms {
    Duration lease{};                 // D: how long one may be inside, counted from the asking
    std::int64_t drift_ppm = 10'000;  // rho: no clock's rate is wrong by more
    Duration granularity{};           // how coarse two clocks are read, together
    Duration answer{};                // who has not answered by then is asked again
    Duration patience{};              // somebody waits and nobody sees the token: it is lost

    // D lasts at most D/(1-rho) of true time, and a wait of W at least W/(1+rho).
    Duration lease_over() const {
        constexpr std::int64_t million = 1'000'000;
        const std::int64_t slow = million - drift_ppm;
        const std::int64_t more = (lease.count() * 2 * drift_ppm + slow - 1) / slow;
        return lease + Duration(more) + granularity;
    }
    Duration renewal_period() const { return lease / 4; }
};

// `hop` is the longest that an idle node keeps the token from the next.
inline Terms configure(const Settings& settings, Duration hop) {
    Terms terms;
    terms.lease = 20 * settings.round_trip();
    terms.granularity = settings.tm / 10;
    terms.answer = settings.round_trip();
    terms.patience = terms.lease + 2 * static_cast<std::int64_t>(settings.nodes) * hop;
    return terms;
}
template <class F> void each_option(Terms& terms, F option) {
    option("token_lease", terms.lease);
    option("drift_ppm", terms.drift_ppm);
    option("granularity", terms.granularity);
    option("recount", terms.answer);
    option("patience", terms.patience);
}

// Messages.
struct Count {  // leader to all: promise to take no older token, and say which you had
    static constexpr bool repair = true;
    Generation generation;
};
struct Counted {  // to the leader: what I have promised, perhaps more than you asked for
    static constexpr bool repair = true;
    Generation generation;
    Stamp last;  // of the newest token that I had
};
struct Extend {  // to the leader: may I be inside a while (longer)?
    static constexpr bool repair = true;
    Generation generation;
    Nonce nonce;
    bool holds;  // I have the token, so it is not lost
};
struct Extended {  // you may, for D from when you asked
    static constexpr bool repair = true;
    Generation generation;
    Nonce nonce;
};

// Timers.
struct Recount {};    // somebody has not answered yet
struct WaitedOut {};  // whoever has not answered is not inside any more
struct Missing {};    // nobody saw the token for too long
struct ExtendDue {};  // my lease wants extending (mutex/lease.h)

}  // namespace census

struct Census {
    struct Durable {
        Generation promised{};
    };

    Generation promised{};           // I take no token of an older one
    std::optional<Generation> past;  // promised in an earlier life: such a token may be a copy
    Stamp last{};                    // of the newest token that I had
    std::optional<NodeId> leader;
    Epoch epoch{};   // of its leadership
    NodeSet failed;  // by a reliable verdict: nobody waits for them

    // While I lead.
    Generation generation{};  // of my newest count
    NodeSet awaited;          // who has not answered it yet
    NodeId heir{};            // who had the newest token of those who have
    Stamp heirloom{};         //   and its number
    bool counting = false;
    bool watching = false;  // somebody waits, and the token has not been seen since

    void boot(const Durable& durable) {
        promised = durable.promised;
        if (promised != Generation{}) past = promised;
    }

    // May I take this token? If so it is mine, and never again.
    template <class P> bool admit(Turn<P>& turn, Stamp token) {
        if (token.generation < promised || token.generation <= past) return false;  // void
        if (turn.fixed(P::token_number) && token <= last) return false;             // doubled
        if (token.generation > promised) promise(turn, token.generation);
        last = token;
        token_seen(turn);
        return true;
    }

    // Who leads, and who is gone or back.
    template <class P> [[nodiscard]] bool led_by(Turn<P>& turn, const LeaderIs& now) {
        const bool mine = now.leader == turn.seat.self;
        if (mine && leading(turn) && epoch == now.epoch) return false;  // said before
        leader = now.leader;
        epoch = now.epoch;
        if (mine) return count(turn);
        stop(turn);
        return false;
    }
    // Whatever it had is lost: at once if I lead.
    template <class P> [[nodiscard]] bool crashed(Turn<P>& turn, const Failed& peer) {
        failed.insert(peer.node);
        return leading(turn) && count(turn);
    }
    template <class P> [[nodiscard]] bool restarted(Turn<P>& turn, const Restarted& peer) {
        failed.erase(peer.node);
        return leading(turn) && count(turn);
    }
    void trusted(const Trusted& peer) { failed.erase(peer.node); }

    // At a member.
    template <class P> void on(Turn<P>& turn, NodeId from, const census::Count& count) {
        if (count.generation > promised) promise(turn, count.generation);
        turn.send(from, census::Counted{promised, last});
    }

    // At the leader.
    template <class P>
    [[nodiscard]] bool on(Turn<P>& turn, NodeId from, const census::Counted& answer) {
        if (!leading(turn) || answer.generation < generation) return false;  // of an older count
        if (answer.generation > generation) return count_above(turn, answer.generation);
        if (!counting || !awaited.erase(from)) return false;
        inherit(from, answer.last);
        return complete(turn);
    }
    template <class P> void on(Turn<P>& turn, census::Recount) {
        ask(turn);
        turn.arm(census::Recount{}, turn.config().census.answer);
    }
    template <class P> [[nodiscard]] bool on(Turn<P>& turn, census::WaitedOut) {
        awaited.clear();
        return complete(turn);
    }
    template <class P> [[nodiscard]] bool on(Turn<P>& turn, census::Missing) { return count(turn); }
    // One who wants to be, or is, inside asks for its lease. It must have answered: who has not may
    // be waited out, and must not begin anew.
    template <class P>
    [[nodiscard]] bool on(Turn<P>& turn, NodeId from, const census::Extend& wish) {
        if (!leading(turn)) return false;
        if (wish.generation > generation) return count_above(turn, wish.generation);
        if (wish.generation < generation) {
            turn.send(from, census::Count{generation});
        } else if (!awaited.contains(from) && generation == promised) {
            watch(turn, wish.holds);
            turn.send(from, census::Extended{generation, wish.nonce});
        }
        return false;
    }

    // The same when the leader asks itself: whether it may. Not if somebody else has counted since:
    // then the watch will make it count once more.
    template <class P> bool extend_mine(Turn<P>& turn, bool holds) {
        const bool current = generation == promised;
        watch(turn, holds && current);
        return current;
    }
    template <class P> bool leading(const Turn<P>& turn) const { return leader == turn.seat.self; }

private:
    template <class P> void promise(Turn<P>& turn, Generation to) {
        promised = to;
        turn.save({promised});
        if (counting && promised != generation) stop(turn);  // somebody else counts
    }
    template <class P> bool count(Turn<P>& turn) {
        const Generation newest = std::max(promised, generation);
        generation = newest.epoch < epoch
                         ? Generation{epoch, {1}, turn.seat.self}
                         : Generation{newest.epoch, newest.round.next(), turn.seat.self};
        promise(turn, generation);
        token_seen(turn);
        counting = true;
        heir = turn.seat.self;
        heirloom = last;
        awaited.clear();
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self && !failed.contains(member.node)) {
                awaited.insert(member.node);
            }
        }
        const census::Terms& terms = turn.config().census;
        ask(turn);
        turn.arm(census::Recount{}, terms.answer);
        turn.arm(census::WaitedOut{},
                 turn.fixed(P::lease_wait) ? terms.lease_over() : terms.answer);
        return complete(turn);
    }
    template <class P> bool count_above(Turn<P>& turn, Generation other) {
        promised = std::max(promised, other);
        return count(turn);
    }
    template <class P> void ask(Turn<P>& turn) const {
        for (NodeId node : awaited) turn.send(node, census::Count{generation});
    }
    void inherit(NodeId from, Stamp token) {
        if (token <= heirloom) return;
        heirloom = token;
        heir = from;
    }
    template <class P> bool complete(Turn<P>& turn) {
        if (!awaited.empty()) return false;
        stop(turn);
        return true;
    }
    template <class P> void stop(Turn<P>& turn) {
        token_seen(turn);
        if (!counting) return;
        counting = false;
        awaited.clear();
        turn.disarm(census::Recount{});
        turn.disarm(census::WaitedOut{});
    }

    template <class P> void watch(Turn<P>& turn, bool holds) {
        if (holds) return token_seen(turn);
        if (watching || counting) return;
        watching = true;
        turn.arm(census::Missing{}, turn.config().census.patience);
    }
    template <class P> void token_seen(Turn<P>& turn) {
        if (!watching) return;
        watching = false;
        turn.disarm(census::Missing{});
    }
};

}  // namespace conclave
