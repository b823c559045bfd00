// service/locks.h -- the lock service: sessions, leases and fencing tokens on an elected leader.
//
// Ensures  one holder at a time, by any clock within drift_ppm, and tokens that only grow, whatever
//          the network does; who waits and lives is granted it, in the order of asking, as long as
//          there is a leader.
// Breaks   if a holder acts after its session's end, or a clock is wrong by more: then what it
//          touches must refuse its token.
//
// It stands on the quorum election, whose epochs are the larger half of its tokens. Each node here
// is a client and, while it leads, the server. Enter and Leave, as for every mutual exclusion, are
// one lock of the many. Clients that are no members (lock_caller.h) are guests of any node, which
// passes their words on to the leader and the leader's to them, and understands neither.
#pragma once
#include <optional>
#include <span>
#include <variant>

#include "core/stack.h"
#include "mutex/mutex.h"
#include "service/lock_client.h"
#include "service/lock_history.h"
#include "service/lock_server.h"

namespace conclave {

struct Locks {
    static constexpr Model assumes{Links::hostile, Timing::drifting, Faults::partition};
    static constexpr Claim claim{
        Kind::mutex,
        "lecture 003; Chubby (Burrows 2006); Gray and Cheriton 1989",
        "one holder at a time and growing tokens, whatever the network does",
        "a clock that drifts more than its bound, or who acts after its lease without a fence",
        "3 per entry and an answer to the release",
        "2 to enter, 2 from one to the next",
    };
    static constexpr auto& fixes = locks::fixes;
    using Config = locks::Config;
    static Config configure(const Settings& settings) { return locks::configure(settings); }
    template <class F> static void each_option(Config& config, F option) {
        option("session", config.session);
        option("longest", config.longest);
        option("keep_alive", config.keep_alive);
        option("drift_ppm", config.drift_ppm);
        option("granularity", config.granularity);
        option("closed", config.closed);
        option("pass_on", config.pass_on);
        option("sticky", config.sticky);
    }
    // Who was cut off finds its session gone, and a new leader waits for those it cannot hear.
    static Duration settles_within(const Config& config, std::size_t) {
        return 2 * config.outlives(config.longest) + 8 * config.keep_alive;
    }

    using Message = locks::Message;
    using Timer = locks::Timer;
    using Request = std::variant<Enter, Leave, locks::Obtain, locks::GiveUp, locks::LetGo,
                                 locks::FromGuest, locks::Dismiss>;
    using Notice =
        std::variant<Entered, Ousted, locks::Granted, locks::AskedBack, locks::Lost,
                     locks::ForGuest, locks::TurnedDown, locks::Served, locks::Forfeited>;
    using Durable = None;
    using Turn = conclave::Turn<Locks>;
    using History = locks::History;

    locks::Client client{};
    std::optional<locks::Office> office;
    locks::Legacy legacy{};  // of the latest leader that has left

    Section section(Instant now) const {
        if (client.uses(critical(), now)) return Section::inside;
        return client.wants(critical()) ? Section::waiting : Section::outside;
    }
    static std::span<const Property<Locks>> properties();

    // The server first: the client may have something to tell it.
    void expire(Turn& turn) {
        Desk desk{turn, *this};
        if (office) office->expire(desk);
        if (turn.fixed(locks::expire_first)) client.expire(desk);
    }
    void on(Turn&, const Booted<Locks>&) {}
    void on(Turn& turn, Enter) {
        Desk desk{turn, *this};
        locks::Terms terms;
        terms.told = turn.config().sticky;
        client.acquire(desk, critical(), terms);
    }
    void on(Turn& turn, Leave) {
        Desk desk{turn, *this};
        if (!client.uses(critical(), turn.now)) return;
        turn.config().sticky ? client.let_go(desk, critical()) : client.release(desk, critical());
    }
    void on(Turn& turn, const locks::Obtain& wish) {
        Desk desk{turn, *this};
        client.acquire(desk, wish.lock, wish.terms);
    }
    void on(Turn& turn, const locks::GiveUp& done) {
        Desk desk{turn, *this};
        client.release(desk, done.lock);
    }
    void on(Turn& turn, const locks::LetGo& done) {
        Desk desk{turn, *this};
        client.let_go(desk, done.lock);
    }
    // Nobody at the door may speak for a member.
    void on(Turn& turn, const locks::FromGuest& guest) {
        const auto pass_on = [&](const auto& said) {
            if (!is_guest(said.word.session)) return;
            Desk desk{turn, *this};
            if (client.leader) desk.send(*client.leader, said);
        };
        std::visit(pass_on, guest.word);
    }
    // Of whoever leads; the others have nobody to dismiss.
    void on(Turn& turn, const locks::Dismiss& wish) {
        Desk desk{turn, *this};
        if (office) office->dismiss(desk, wish.lock.empty() ? critical() : wish.lock);
    }
    void on(Turn& turn, LeaderIs told) {
        Desk desk{turn, *this};
        if (told.leader != turn.seat.self && (told.leader || turn.fixed(locks::leader_lease)))
            close_office(turn);
        if (!told.leader) return client.lose_leader();
        if (told.leader != turn.seat.self) {
            if (turn.fixed(locks::next_epoch) && legacy.epoch < told.epoch) legacy = {};
            return client.follow(desk, *told.leader, told.epoch);
        }
        if (office) return office->renumber(desk, told.epoch);
        office.emplace().take(desk, told.epoch);
        inherit(desk);
    }
    void on(Turn& turn, NodeId, const locks::Passed& passed) {
        Desk desk{turn, *this};
        legacy.take(passed);
        if (office) inherit(desk);
    }
    template <class M>
    requires holds<Message, M>
    void on(Turn& turn, NodeId from, const M& message) {
        Desk desk{turn, *this};
        if constexpr (requires { locks::ForGuest{message}.word; }) {
            if (is_guest(message.session)) return turn.tell(locks::ForGuest{message});
        }
        if constexpr (requires { client.on(desk, from, message); }) {
            client.on(desk, from, message);
        } else if (office) {
            office->on(desk, from, message);
        }
    }
    template <class T>
    requires holds<Timer, T>
    void on(Turn& turn, T timer) {
        Desk desk{turn, *this};
        if constexpr (requires { client.on(desk, timer); }) {
            client.on(desk, timer);
        } else if constexpr (requires { office->on(desk, timer); }) {
            if (office) office->on(desk, timer);
        }
    }

private:
    static const locks::Name& critical() {
        static const locks::Name name = "section";
        return name;
    }
    // What a leader has to tell itself needs no network.
    struct Desk {
        Turn& turn;
        Locks& self;

        const Config& config() const { return turn.config(); }
        template <class M> void send(NodeId to, const M& message) {
            if (to == turn.seat.self) return self.on(turn, to, message);
            turn.send(to, message);
        }
        template <class M> void resend(NodeId to, const M& message) {
            if (to == turn.seat.self) return self.on(turn, to, message);
            turn.resend(to, message);
        }
        void granted(const locks::Holding& holding) {
            turn.tell(locks::Granted{holding.lock, holding.token});
            if (holding.lock == critical()) turn.tell(Entered{});
        }
        void taken_up(const locks::Holding& holding) {  // under the token that it has
            if (holding.lock == critical()) turn.tell(Entered{});
        }
        void asked_back(const locks::Holding& holding) {
            turn.tell(locks::AskedBack{holding.lock});
        }
        void lost(const locks::Holding& holding) {
            turn.tell(locks::Lost{holding.lock, holding.token});
            if (holding.lock != critical()) return;
            turn.tell(Ousted{});
            self.client.part(*this, critical());  // nobody is inside after that
        }
        void turned_down(const locks::Name& lock, locks::Limit limit) {
            turn.tell(locks::TurnedDown{lock, limit});
        }
    };
    void inherit(Desk& desk) {
        office->inherit(desk, legacy);
        if (office->serving) legacy = {};  // I know all that it could tell
    }
    void close_office(Turn& turn) {
        if (!office) return;
        Desk desk{turn, *this};
        office->pass_on(desk);
        office.reset();
        turn.disarm(locks::RecoverDue{});
        turn.disarm(locks::RecoveryOver{});
        turn.disarm(locks::SessionsDue{});
    }
};
static_assert(Protocol<Locks>);

}  // namespace conclave

#include "service/lock_properties.h"
