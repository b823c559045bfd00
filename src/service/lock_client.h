// service/lock_client.h -- a client of the lock service: its session, what it holds and wants.
//
// Ensures  what `holds` says is true is true of nobody else, by any clock within drift_ppm.
// Breaks   if the holder acts on it later than it asked: then only the token helps (H7).
//
// The same rules run in a member of the group and in a process that is none: `desk` is where it
// sends and tells, which knows whether the leader is this very node.
#pragma once
#include <algorithm>
#include <optional>
#include <utility>

#include "core/protocol.h"
#include "service/lock_words.h"

namespace conclave::locks {

template <class List> auto* find(List& list, const Name& lock) {
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& one) { return one.lock == lock; });
    return found == list.end() ? nullptr : &*found;
}

struct Client {
    struct Question {
        Nonce nonce;
        Instant at;
        Duration lease;        // that was asked for
        bool told_all = true;  // nothing was released since
    };
    struct Session {
        SessionId id;
        Round said;                    // the number of my last word in it
        std::optional<Instant> until;  // none: not answered yet
        Small<Question, 4> questions;  // the newest few: Hc <= CD/4, so older ones are of no use
    };
    Round sessions{};  // how many there were
    Round requests{};
    Nonce nonce{};
    Epoch epoch{};  // of the latest leader that I know of: nothing from an earlier one counts
    std::optional<NodeId> leader;
    std::optional<Session> session;
    Small<Holding, 1> held;
    Small<Wish, 1> wanted;
    std::optional<Round> unsettled;  // I no longer want it, and the leader may not know
    struct Parting {
        Word last;             // of the session that I was dismissed from
        Small<Name, 1> locks;  // that the application may not have stopped to use
    };
    std::optional<Parting> parting;
    bool calling = false;       // KeepAliveDue is armed
    Small<Name, 1> idle;        // held, but not in use: the first who wants it has it
    Small<Name, 1> asked_back;  // held and in use, and others wait for it

    bool alive(Instant now) const { return session && session->until && now < *session->until; }
    const Holding* holds(const Name& lock, Instant now) const {
        return alive(now) ? find(held, lock) : nullptr;
    }
    bool uses(const Name& lock, Instant now) const {
        return holds(lock, now) && !idle.contains(lock);
    }
    bool wants(const Name& lock) const { return find(wanted, lock) != nullptr; }

    // Before every event: what has run out is over, however late its timer.
    template <class Desk> void expire(Desk& desk) {
        if (!session || !session->until || desk.turn.now < *session->until) return;
        end(desk);
    }

    template <class Desk> void acquire(Desk& desk, const Name& lock, Terms terms) {
        if (take_up(desk, lock, terms) || find(held, lock) || find(wanted, lock)) return;
        if (const auto limit = beyond(lock, held.size() + wanted.size()))
            return desk.turned_down(lock, *limit);
        requests = requests.next();
        const Wish wish{lock, requests, terms, {}};
        wanted.push_back(wish);
        if (!session) return open(desk);
        if (!fresh(desk)) return keep_alive(desk);
        if (!calling) call_again(desk);
        if (leader) desk.send(*leader, Acquire{next_word(), wish});
    }
    // Who was dismissed says in this way that it has stopped.
    template <class Desk> void release(Desk& desk, const Name& lock) {
        const Holding* holding = find(held, lock);
        const Wish* wish = find(wanted, lock);
        if (!holding && !wish) return part(desk, lock);
        const Round request = holding ? holding->request : wish->request;
        // First it is not mine any more, then anybody hears of it.
        erase_if(held, [&](const Holding& one) { return one.lock == lock; });
        erase_if(wanted, [&](const Wish& one) { return one.lock == lock; });
        forget_use(lock);
        if (!session) return;
        unsettled = request;
        for (Question& asked : session->questions) asked.told_all = false;
        if (leader) desk.send(*leader, Release{next_word(), lock, request});
    }

    // Sticky: it stays with the session until somebody else wants it.
    template <class Desk> void let_go(Desk& desk, const Name& lock) {
        if (!find(held, lock) || asked_back.contains(lock)) return release(desk, lock);
        if (!idle.contains(lock)) idle.push_back(lock);
    }

    template <class Desk> void follow(Desk& desk, NodeId the_leader, Epoch the_epoch) {
        if (the_epoch < epoch || (the_epoch == epoch && leader)) return;
        epoch = the_epoch;
        leader = the_leader;
        report(desk);
    }
    void lose_leader() { leader.reset(); }

    template <class Desk> void on(Desk& desk, NodeId from, const Recover& recover) {
        if (recover.epoch < epoch) return;
        epoch = recover.epoch;
        leader = from;
        report(desk);
    }
    template <class Desk> void on(Desk& desk, NodeId, const Kept& kept) {
        if (!session || kept.session != session->id || outdated(desk, kept.epoch)) return;
        for (const Question& asked : session->questions) {
            if (asked.nonce != kept.nonce) continue;
            const Instant from = desk.turn.fixed(send_time) ? asked.at : desk.turn.now;
            const Instant until = from + asked.lease;
            session->until = std::max(session->until.value_or(until), until);
            desk.turn.arm(SessionOver{}, std::max(*session->until - desk.turn.now, Duration{1}));
            if (asked.told_all) settle(desk);
            return;
        }
    }
    template <class Desk> void on(Desk& desk, NodeId, const Queued& queued) {
        if (!session || queued.session != session->id || outdated(desk, queued.epoch)) return;
        for (Wish& wish : wanted) {
            if (wish.request != queued.request) continue;
            wish.place = queued.place;
            if constexpr (requires { desk.queued(wish); }) desk.queued(wish);
        }
    }
    // What is granted and not wanted any more is given back by the next report.
    template <class Desk> void on(Desk& desk, NodeId, const Grant& grant) {
        if (!alive(desk.turn.now) || grant.session != session->id) return;
        if (outdated(desk, grant.epoch)) return;
        const Wish* wish = find(wanted, grant.lock);
        if (!wish || wish->request != grant.request) return;
        held.push_back({grant.lock, grant.request, wish->terms, grant.token});
        erase_if(wanted, [&](const Wish& one) { return one.lock == grant.lock; });
        desk.granted(held.back());
    }
    // One that is lost is said again with the next report of who waits.
    template <class Desk> void on(Desk& desk, NodeId, const Wanted& wanted_back) {
        if (!session || wanted_back.session != session->id) return;
        const Holding* holding = find(held, wanted_back.lock);
        if (!holding || holding->request != wanted_back.request) return;
        if (outdated(desk, wanted_back.epoch)) return;
        if (idle.contains(holding->lock)) return release(desk, Name(holding->lock));
        if (asked_back.contains(holding->lock)) return;
        asked_back.push_back(holding->lock);
        desk.asked_back(*holding);
    }
    template <class Desk> void on(Desk& desk, NodeId, const Released& released) {
        if (released.request == unsettled && !outdated(desk, released.epoch)) settle(desk);
    }
    template <class Desk> void on(Desk& desk, NodeId, const SessionGone& gone) {
        if (!session || gone.session != session->id || outdated(desk, gone.epoch)) return;
        if (gone.dismissed) {
            parting = Parting{next_word(), {}};
            for (const Holding& holding : held) parting->locks.push_back(holding.lock);
        }
        end(desk);
    }
    template <class Desk> void on(Desk& desk, NodeId, const Declined& declined) {
        if (!session || declined.session != session->id || outdated(desk, declined.epoch)) return;
        const auto refused = std::exchange(wanted, {});
        end(desk);
        for (const Wish& wish : refused) desk.turned_down(wish.lock, declined.limit);
    }
    template <class Desk> void on(Desk& desk, KeepAliveDue) {
        calling = false;
        if (held.empty() && wanted.empty() && !unsettled) return;  // an idle session may end
        if (!session) return open(desk);
        keep_alive(desk);
    }
    template <class Desk> void on(Desk& desk, SessionOver) {
        if (session && session->until && desk.turn.now >= *session->until) end(desk);
    }

    // Once nothing of what was held is in use, the leader need not wait for the session's end.
    template <class Desk> void part(Desk& desk, const Name& lock) {
        if (!parting) return;
        erase_if(parting->locks, [&](const Name& one) { return one == lock; });
        if (!parting->locks.empty()) return;
        Word last = std::exchange(parting, std::nullopt)->last;
        last.epoch = epoch;
        if (leader) desk.send(*leader, Farewell{last});
    }

private:
    // Held already, and idle: no word to anybody. On other terms it must be asked for.
    template <class Desk> bool take_up(Desk& desk, const Name& lock, const Terms& terms) {
        if (!alive(desk.turn.now) || !idle.contains(lock)) return false;
        const Holding* holding = find(held, lock);
        if (holding->terms != terms) return release(desk, lock), false;
        forget_use(lock);
        if constexpr (requires { desk.taken_up(*holding); }) desk.taken_up(*holding);
        return true;
    }
    void forget_use(const Name& lock) {
        const auto it = [&](const Name& one) { return one == lock; };
        erase_if(idle, it);
        erase_if(asked_back, it);
    }
    template <class Desk> bool outdated(const Desk& desk, Epoch from) const {
        return desk.turn.fixed(epoch_guard) ? from != epoch : false;
    }
    template <class Desk> void settle(Desk& desk) {
        if (!std::exchange(unsettled, std::nullopt)) return;
        if constexpr (requires { desk.settled(); }) desk.settled();
    }
    // Whoever is idle whenever its call is due must not be granted the rest of an old session.
    template <class Desk> bool fresh(const Desk& desk) const {
        const auto& asked = session->questions;
        return !asked.empty() && desk.turn.now - asked.back().at < desk.config().keep_alive;
    }
    Word next_word() {
        session->said = session->said.next();
        return {session->id, epoch, session->said};
    }
    template <class Desk> void open(Desk& desk) {
        sessions = sessions.next();
        const auto& seat = desk.turn.seat;
        session = Session{{seat.self, seat.incarnation, sessions}, {}, {}, {}};
        keep_alive(desk);
    }
    template <class Desk> void call_again(Desk& desk) {
        calling = true;
        desk.turn.arm(KeepAliveDue{}, desk.config().keep_alive);
    }
    template <class Desk> void report(Desk& desk) {
        if (session) return keep_alive(desk);
        desk.send(*leader, Idle{epoch});
    }
    template <class Desk> void keep_alive(Desk& desk) {
        call_again(desk);
        if (!leader) return;
        nonce = nonce.next();
        constexpr std::size_t kept = 4;
        auto& questions = session->questions;
        if (questions.size() == kept) questions.erase(questions.begin());
        const Duration lease = desk.config().session;
        questions.push_back({nonce, desk.turn.now, lease, true});
        const Word word = next_word();
        desk.send(*leader,
                  KeepAlive{word, nonce, lease, !session->until, held, wanted, desk.config().name});
    }
    // Dead for good: whatever comes for it later finds another session, or none.
    template <class Desk> void end(Desk& desk) {
        session.reset();
        unsettled.reset();
        desk.turn.disarm(SessionOver{});
        const auto unused = std::exchange(idle, {});
        asked_back.clear();
        for (const Holding& holding : std::exchange(held, {})) {
            if (!unused.contains(holding.lock)) desk.lost(holding);
        }
        for (Wish& wish : wanted) {
            wish.place = {};
            requests = requests.next();
            wish.request = requests;
        }
        if (!wanted.empty()) open(desk);
    }
};

}  // namespace conclave::locks
