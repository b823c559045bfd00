// mutex/path_token_led.h -- the path token on an election, whose leader mends a list that was cut.
//
// Ensures  one at a time whatever the election survives; nobody waits for ever once faults stop.
// Breaks   if a clock drifts more than the census allows: the cut-off and the new holder are both
//          inside.
//
// A crash of anybody who is listed cuts the list and loses the token. The leader counts who has it
// (mutex/census.h); the count begins a new generation, of whose list the heir of the token is the
// root. Then all point to the root, and whoever waits asks again.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "mutex/census.h"
#include "mutex/lease.h"
#include "mutex/path_list.h"
#include "mutex/path_properties.h"
#include "mutex/path_token.h"

namespace conclave {

template <Model model> struct LedPathToken {
    static constexpr Model assumes = model;
    static constexpr Claim claim{
        Kind::mutex,
        "as path-token; the elected leader replaces a lost token and begins a new list",
        "one at a time; nobody waits for ever once faults stop",
        "a clock that drifts more than its bound",
        "0 to N, mean H(N) - 1/N for one request after the other",
        "client 0 to N, synchronization 1",
    };
    enum FixIndex : std::size_t { rid, token_number, lease_wait, generations };
    static constexpr std::array fixes{
        PathToken::fixes[PathToken::rid],
        PathToken::fixes[PathToken::token_number],
        Fix{"lease-wait", "who does not answer is out of the section before there is a new token"},
        Fix{"generation", "a request from before the count is not put on the list made after it"},
    };
    struct Config {
        FixSet fixes{};
        census::Terms census{};
    };
    static Config configure(const Settings& settings) {
        return {{}, census::configure(settings, settings.round_trip())};
    }
    // The token is missed, those who do not answer are waited out, all are told, one asks on the
    // longest path and is handed the token, and a lease is asked for.
    static Duration settles_within(const Config& config, std::size_t nodes) {
        const census::Terms& terms = config.census;
        return terms.patience + terms.lease_over() + 2 * terms.renewal_period() +
               static_cast<std::int64_t>(nodes + 4) * terms.answer;
    }
    template <class F> static void each_option(Config& config, F option) {
        census::each_option(config.census, option);
    }

    struct Ask {  // the sources' REQUEST
        Generation generation{};
        NodeId origin{};
        Round number{};
    };
    struct Token {
        Stamp stamp{};
    };
    struct Begin {  // the list is empty: ask here
        static constexpr bool repair = true;
        Generation generation{};
        NodeId root{};
    };
    using Message = std::variant<Ask, Token, Begin, census::Count, census::Counted, census::Extend,
                                 census::Extended>;
    using Timer =
        std::variant<census::Recount, census::WaitedOut, census::Missing, census::ExtendDue>;
    using Request = std::variant<Enter, Leave>;
    using Notice = std::variant<Entered, Ousted>;
    using Durable = Census::Durable;
    using History = MutexHistory;
    using Turn = conclave::Turn<LedPathToken>;

    PathList list{};
    std::optional<Generation> generation;  // of the list; an older one than promised is void
    Section place = Section::outside;
    Census census{};
    Lease lease{};

    Section section(Instant now) const {
        return place == Section::inside && !lease.valid(now) ? Section::outside : place;
    }
    // May I believe my pointers?
    bool listed() const { return generation == census.promised; }
    bool holds() const { return listed() && list.token; }
    static std::span<const Property<LedPathToken>> properties();

    void expire(Turn& turn) {
        if (section(turn.now) == place) return;
        turn.tell(Ousted{});
        step_out(turn);
    }

    void on(Turn&, const Booted<LedPathToken>& booted) { census.boot(booted.durable); }
    void on(Turn& turn, Enter) {
        if (place != Section::outside) return;
        place = Section::waiting;
        lease.ask(turn, census, holds());
        try_to_enter(turn);
        if (place == Section::waiting) seek(turn);
    }
    void on(Turn& turn, Leave) {
        if (place == Section::inside) step_out(turn);
    }

    void on(Turn& turn, NodeId, const Ask& ask) {
        if (!turn.fixed(generations)) return line_up(turn, ask);
        if (ask.generation != census.promised || ask.generation <= census.past) return;  // void
        // Those who know nothing but the root's name have asked me: so I am the root, and the news
        // is still under way.
        if (!listed()) begin(turn, turn.seat.self);
        line_up(turn, ask);
    }
    void on(Turn& turn, NodeId, const Token& token) {
        if (!census.admit(turn, token.stamp)) return;
        if (!listed()) begin(turn, turn.seat.self);  // a new token goes to the root first
        list.token = true;
        if (place == Section::outside) return pass_on(turn);
        lease.ask(turn, census, true);  // the leader sees that the token is not lost
        try_to_enter(turn);
    }
    void on(Turn& turn, NodeId, const Begin& news) {
        if (news.generation != census.promised || news.generation <= census.past) return;
        if (!listed()) begin(turn, news.root);
    }

    // Who is there.
    void on(Turn&, Trusted peer) { census.trusted(peer); }
    void on(Turn& turn, Failed peer) {
        if (census.crashed(turn, peer)) replace(turn);
    }
    void on(Turn& turn, Restarted peer) {
        if (census.restarted(turn, peer)) replace(turn);
    }

    // The leader counts.
    void on(Turn& turn, const LeaderIs& is) {
        if (census.led_by(turn, is)) replace(turn);
    }
    void on(Turn& turn, NodeId from, const census::Count& count) { census.on(turn, from, count); }
    void on(Turn& turn, NodeId from, const census::Counted& answer) {
        if (census.on(turn, from, answer)) return replace(turn);
        const bool over = census.leading(turn) && !census.counting;
        if (over && listed() && answer.generation == generation) tell_root(turn, from);  // late
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
        if (place == Section::outside) return;  // it ran out this very moment
        if (lease.ask(turn, census, holds())) try_to_enter(turn);
        if (place == Section::waiting && !listed()) seek(turn);
    }

private:
    void try_to_enter(Turn& turn) {
        if (place != Section::waiting || !holds() || !lease.valid(turn.now)) return;
        place = Section::inside;
        turn.tell(Entered{});
    }
    void step_out(Turn& turn) {
        place = Section::outside;
        lease.stop_asking(turn);
        pass_on(turn);
    }
    void line_up(Turn& turn, const Ask& ask) {
        if (list.is_copy(ask.origin, ask.number) && turn.fixed(rid)) return;
        if (const auto better = list.line_up(ask.origin)) turn.send(*better, ask);
        if (place == Section::outside) pass_on(turn);
    }
    void pass_on(Turn& turn) {
        if (!listed()) return;
        const auto heir = list.hand_over();
        if (heir) turn.send(*heir, Token{{census.last.generation, census.last.number.next()}});
    }
    // A place on the list; or first of all, where it begins.
    void seek(Turn& turn) {
        if (listed()) {
            if (!list.dir || list.next) return;  // I am on the list already
            const NodeId guess = list.join();
            turn.send(guess, Ask{*generation, turn.seat.self, list.asked});
        } else if (census.leader && !census.leading(turn)) {
            turn.send(*census.leader, census::Counted{census.promised, census.last});
        }
    }
    void begin(Turn& turn, NodeId root) {
        generation = census.promised;
        list.begin(turn.seat.self, root);
        if (place != Section::waiting) return;
        lease.ask(turn, census, false);
        seek(turn);
    }
    // The count is complete: nobody but the heir can be inside, and no other token counts.
    void replace(Turn& turn) {
        begin(turn, census.heir);
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) tell_root(turn, member.node);
        }
        const Token made{{census.generation, {{0}}}};
        if (census.heir == turn.seat.self) return on(turn, turn.seat.self, made);
        turn.resend(census.heir, made);
    }
    void tell_root(Turn& turn, NodeId node) const {
        turn.send(node, Begin{*generation, census.heir});
    }
};

template <Model model>
inline std::span<const Property<LedPathToken<model>>> LedPathToken<model>::properties() {
    return path::properties<LedPathToken>;
}

}  // namespace conclave
