// service/lock_server.h -- the lock service's server: whoever leads, while it leads.
//
// Nothing of it is on disk. A new leader learns from the clients what they hold and want, and
// grants nothing before every session that it was not told of is over. So a failure costs at most
// the longest session, and never a grant.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/node_set.h"
#include "core/protocol.h"
#include "core/table.h"
#include "service/lock_legacy.h"
#include "service/lock_queue.h"

namespace conclave::locks {

struct Office {
    Epoch epoch;
    bool serving = false;  // nobody can hold what I do not know of
    NodeSet awaited;       // members that have not answered
    std::uint64_t grants = 0, places = 0;
    std::optional<Instant> soonest;  // nobody expires before
    Table<SessionId, Session> sessions;
    Table<Name, Lock> locks;

    template <class Desk> void take(Desk& desk, Epoch won) {
        epoch = won;
        const bool first = won == Epoch{1};  // nobody ever led, so nobody was granted anything
        serving = first || !desk.turn.fixed(recovery_wait);
        if (!serving) desk.turn.arm(RecoveryOver{}, desk.config().outlives(desk.config().longest));
        call(desk);
    }
    // The same leadership under a new number: what I know is still all there is.
    template <class Desk> void renumber(Desk& desk, Epoch won) {
        epoch = won;
        call(desk);
    }

    // What the leader before me knew when it left: then nobody holds anything else.
    template <class Desk> void inherit(Desk& desk, const Legacy& legacy) {
        const bool direct = legacy.epoch.next() == epoch || !desk.turn.fixed(next_epoch);
        if (serving || !direct || legacy.epoch >= epoch || !legacy.complete()) return;
        for (const auto& [id, passed] : legacy.parts) {
            if (!sessions.contains(id)) adopt(desk, id, passed);  // else it spoke for itself
        }
        begin_serving(desk);
    }
    // I leave, and do nothing any more. Somebody unheard of may hold something while I do not
    // serve: then what I know is no help.
    template <class Desk> void pass_on(Desk& desk) const {
        std::size_t length = sessions.size();
        for (const auto& [id, session] : sessions) length += session.locks.size();
        const std::size_t most = desk.config().pass_on;
        if (!serving || most == 0 || length > most) return;
        const auto count = static_cast<std::uint32_t>(sessions.size());
        for (const Member& member : desk.turn.seat.members) {
            if (member.node == desk.turn.seat.self) continue;
            if (count == 0) desk.send(member.node, Passed{epoch, 0, {}, {}, {}, {}, {}});
            for (const auto& [id, session] : sessions)
                desk.send(member.node, part(count, id, session));
        }
    }

    // Before every event.
    template <class Desk> void expire(Desk& desk) {
        if (!soonest || desk.turn.now < *soonest) return;
        soonest.reset();
        Small<SessionId, 4> over;
        for (const auto& [id, session] : sessions) {
            if (session.expires <= desk.turn.now)
                over.push_back(id);
            else
                soonest = std::min(soonest.value_or(session.expires), session.expires);
        }
        if (soonest) desk.turn.arm(SessionsDue{}, *soonest - desk.turn.now);
        for (const SessionId& id : over) drop(desk, id);
    }

    template <class Desk> void on(Desk& desk, NodeId from, const KeepAlive& call) {
        if (call.word.epoch != epoch) return;
        const SessionId& id = call.word.session;
        if (turned_away(desk, from, call)) return heard_from(desk, from);
        if (!welcome(desk, call)) {
            drop(desk, id);
            desk.send(from, SessionGone{epoch, id});
            return heard_from(desk, from);
        }
        Session& session = sessions[id];
        session.at = from;
        session.name = call.name.substr(0, longest_name);
        session.expires = desk.turn.now + desk.config().outlives(call.lease);
        expires_at(desk, session.expires);
        const bool news = call.word.number > session.heard;
        if (news) session.heard = call.word.number;
        desk.send(from, Kept{epoch, id, call.nonce});
        if (news) take_report(desk, call);
        heard_from(desk, from);
    }
    template <class Desk> void on(Desk& desk, NodeId from, const Acquire& asked) {
        if (Session* session = speaking(desk, from, asked.word)) {
            if (turned_away(desk, from, *session, asked)) return;
            queue_up(desk, asked.word.session, *session, asked.wish);
            serve(desk, asked.wish.lock);
        }
    }
    template <class Desk> void on(Desk& desk, NodeId from, const Release& done) {
        if (!speaking(desk, from, done.word)) return;
        leave(done.word.session, done.lock, done.request);
        desk.send(from, Released{epoch, done.word.session, done.request});
        serve(desk, done.lock);
    }
    template <class Desk> void on(Desk& desk, NodeId, const Farewell& done) {
        if (done.word.epoch == epoch) drop(desk, done.word.session);
    }
    template <class Desk> void on(Desk& desk, NodeId from, const Idle& idle) {
        if (idle.epoch == epoch) heard_from(desk, from);
    }
    template <class Desk> void on(Desk& desk, RecoverDue) {
        if (!awaited.empty() && !serving) call_awaited(desk);
    }
    template <class Desk> void on(Desk& desk, RecoveryOver) { begin_serving(desk); }

    // What its holders have is not free yet: who does not hear of this acts until its session ends.
    template <class Desk> void dismiss(Desk& desk, const Name& name) {
        Small<SessionId, 2> holders;
        if (const Lock* lock = locks.find(name)) {
            for (const Holder& one : lock->holders) holders.push_back(one.session);
        }
        for (const SessionId& id : holders) {
            Session* session = sessions.find(id);
            if (!session) continue;
            session->dismissed = true;
            stop_waiting(desk, id);
            desk.send(sessions.find(id)->at, SessionGone{epoch, id, true});
        }
    }

private:
    template <class Desk> void call(Desk& desk) {
        for (const Member& member : desk.turn.seat.members) awaited.insert(member.node);
        call_awaited(desk);
    }
    template <class Desk> void call_awaited(Desk& desk) {
        desk.turn.arm(RecoverDue{}, desk.config().keep_alive);
        for (NodeId member : NodeSet(awaited)) desk.send(member, Recover{epoch});
    }
    template <class Desk> void heard_from(Desk& desk, NodeId member) {
        awaited.erase(member);
        if (desk.config().closed && awaited.empty()) begin_serving(desk);
    }
    template <class Desk> void begin_serving(Desk& desk) {
        if (std::exchange(serving, true)) return;
        desk.turn.disarm(RecoveryOver{});
        Small<Name, 4> names;
        for (const auto& [name, lock] : locks) names.push_back(name);
        for (const Name& name : names) serve(desk, name);
    }
    template <class Desk> void expires_at(Desk& desk, Instant when) {
        if (soonest && *soonest <= when) return;
        soonest = when;
        desk.turn.arm(SessionsDue{}, when - desk.turn.now);
    }

    std::optional<Limit> too_much(const KeepAlive& call) const {
        for (const Wish& wish : call.wanted) {
            if (const auto limit = beyond(wish.lock, 0)) return limit;
        }
        if (call.held.size() + call.wanted.size() > most_locks) return Limit::locks;
        const SessionId& id = call.word.session;
        const bool another = call.opening && is_guest(id) && !sessions.contains(id);
        if (another && sessions.size() >= most_sessions) return Limit::sessions;
        return std::nullopt;
    }
    // It keeps what it has, and nothing is renewed.
    template <class Desk> bool turned_away(Desk& desk, NodeId from, const KeepAlive& call) {
        const SessionId& id = call.word.session;
        if (const auto limit = too_much(call)) {
            desk.send(from, Declined{epoch, id, *limit});
            return true;
        }
        const Session* session = sessions.find(id);
        if (!session || !session->dismissed) return false;
        desk.send(from, SessionGone{epoch, id, true});
        return true;
    }
    template <class Desk>
    bool turned_away(Desk& desk, NodeId from, const Session& session, const Acquire& asked) const {
        const SessionId& id = asked.word.session;
        const Name& lock = asked.wish.lock;
        const bool counted = session.locks.contains(lock);
        const auto limit = beyond(lock, counted ? 0 : session.locks.size());
        if (limit) desk.send(from, Declined{epoch, id, *limit});
        if (!limit && session.dismissed) desk.send(from, SessionGone{epoch, id, true});
        return limit || session.dismissed;
    }
    // Times for people are kept where there are people: in a closed world they would only make
    // states differ that behave alike.
    template <class Desk> static std::optional<Instant> noted(const Desk& desk) {
        return desk.config().closed ? std::nullopt : std::optional(desk.turn.now);
    }

    template <class Desk> void adopt(Desk& desk, const SessionId& id, const Passed& passed) {
        Session& session = sessions[id];
        session.at = passed.at;
        session.name = passed.name;
        session.dismissed = passed.dismissed;
        session.heard = passed.heard;
        session.expires = desk.turn.now + desk.config().outlives(desk.config().longest);
        expires_at(desk, session.expires);
        for (const Holding& holding : passed.held) take_over(desk, session, id, holding);
        for (const Wish& wish : passed.wanted) queue_up(desk, id, session, wish);
    }
    Passed part(std::uint32_t count, const SessionId& id, const Session& session) const {
        Passed passed{epoch, count, id,           session.at,       session.heard,
                      {},    {},    session.name, session.dismissed};
        for (const Name& name : session.locks) {
            const Lock& lock = *locks.find(name);
            for (const Holder& one : lock.holders) {
                if (one.session == id)
                    passed.held.push_back({name, one.request, one.terms, one.token});
            }
            for (const Waiter& one : lock.queue) {
                if (one.session == id)
                    passed.wanted.push_back({name, one.request, one.terms, one.place});
            }
        }
        return passed;
    }

    // A session that I let expire, or was not told of in time, may hold what others have by now.
    template <class Desk> bool welcome(const Desk& desk, const KeepAlive& call) const {
        if (call.lease > desk.config().longest) return false;
        const bool lenient = !serving || !desk.turn.fixed(no_revival);
        const Session* known = sessions.find(call.word.session);
        if (!known && !call.opening && !lenient) return false;
        // What it says was overtaken by a later word, so that it may have let go since.
        if (known && call.word.number <= known->heard) return true;
        return std::all_of(call.held.begin(), call.held.end(), [&](const Holding& holding) {
            const Lock* lock = locks.find(holding.lock);
            if (lock && holder(*lock, call.word.session, holding.request)) return true;
            return lenient && (!lock || fits(*lock, holding.terms));
        });
    }
    template <class Desk> Session* speaking(Desk& desk, NodeId from, const Word& word) {
        if (word.epoch != epoch) return nullptr;
        Session* session = sessions.find(word.session);
        if (!session) {
            desk.send(from, SessionGone{epoch, word.session});
            return nullptr;
        }
        if (word.number <= session->heard) return nullptr;  // overtaken by a later word
        session->heard = word.number;
        return session;
    }

    // What it holds and wants is now all that it holds and wants.
    template <class Desk> void take_report(Desk& desk, const KeepAlive& call) {
        const SessionId& id = call.word.session;
        Session& session = sessions[id];
        for (const Holding& holding : call.held) take_over(desk, session, id, holding);
        const Small<Name, 1> names = session.locks;
        for (const Name& name : names) {
            for (Round request : requests_of(id, name)) settle(desk, call, name, request);
        }
        for (const Wish& wish : call.wanted) {
            queue_up(desk, id, sessions[id], wish);
            serve(desk, wish.lock);
        }
    }
    template <class Desk>
    void take_over(Desk& desk, Session& session, const SessionId& id, const Holding& holding) {
        Lock& lock = locks[holding.lock];
        if (holder(lock, id, holding.request)) return;
        lock.holders.push_back({id, holding.request, holding.terms, holding.token, noted(desk)});
        remember(session, holding.lock);
    }
    template <class Desk>
    void settle(Desk& desk, const KeepAlive& call, const Name& name, Round request) {
        const auto same = [&](const auto& one) {
            return one.lock == name && one.request == request;
        };
        if (std::any_of(call.held.begin(), call.held.end(), same)) return;
        if (std::any_of(call.wanted.begin(), call.wanted.end(), same)) {
            const SessionId& id = call.word.session;
            if (const Holder* granted = holder(*locks.find(name), id, request))
                desk.resend(sessions.find(id)->at, grant(name, *granted));  // it has not heard
            return;
        }
        if (!desk.turn.fixed(reconcile)) return;
        leave(call.word.session, name, request);
        serve(desk, name);
    }

    template <class Desk>
    void queue_up(Desk& desk, const SessionId& id, Session& session, const Wish& wish) {
        Lock& lock = locks[wish.lock];
        if (holder(lock, id, wish.request)) return;
        Waiter* waiting = waiter(lock, id, wish.request);
        if (!waiting) {
            Place place = wish.place;
            if (place == Place{}) place = {epoch, ++places};
            const auto before =
                std::find_if(lock.queue.begin(), lock.queue.end(),
                             [&](const Waiter& other) { return place < other.place; });
            waiting = lock.queue.insert(before, {id, wish.request, wish.terms, place, noted(desk)});
            remember(session, wish.lock);
        }
        const bool at_once = serving && waiting == lock.queue.begin() && fits(lock, wish.terms);
        if (!at_once) desk.send(session.at, Queued{epoch, id, wish.request, waiting->place});
    }
    template <class Desk> void serve(Desk& desk, const Name& name) {
        Lock* lock = locks.find(name);
        if (!lock || !serving) return;
        while (!lock->queue.empty() && fits(*lock, lock->queue.front().terms)) {
            const Waiter next = lock->queue.front();
            lock->queue.erase(lock->queue.begin());
            lock->holders.push_back(
                {next.session, next.request, next.terms, Token{epoch, ++grants}, noted(desk)});
            if (next.since) desk.turn.tell(Served{desk.turn.now - *next.since});
            desk.send(sessions.find(next.session)->at, grant(name, lock->holders.back()));
            lock = locks.find(name);  // the grant may have been to myself, and have come back
            if (!lock) return;
        }
        if (!lock->queue.empty()) return ask_back(desk, *lock, name);
        if (lock->holders.empty()) locks.erase(Name(name));
    }
    // From a copy: who is asked may be this very node, and give it back at once.
    template <class Desk> void ask_back(Desk& desk, const Lock& lock, const Name& name) {
        Small<Holder, 1> told;
        for (const Holder& holder : lock.holders) {
            if (holder.terms.told) told.push_back(holder);
        }
        for (const Holder& holder : told) {
            const Session* session = sessions.find(holder.session);
            if (session)
                desk.send(session->at, Wanted{epoch, holder.session, name, holder.request});
        }
    }
    Grant grant(const Name& name, const Holder& holder) const {
        return {epoch, holder.session, name, holder.request, holder.token};
    }
    template <class Desk> void drop(Desk& desk, const SessionId& gone) {
        const SessionId id = gone;
        const Session* session = sessions.find(id);
        if (!session) return;
        const Small<Name, 1> names = session->locks;
        for (const Name& name : names) {
            for (Round request : requests_of(id, name)) {
                const Holder* had = holder(*locks.find(name), id, request);
                if (had && had->since) desk.turn.tell(Forfeited{});
                leave(id, name, request);
            }
        }
        sessions.erase(id);
        for (const Name& name : names) serve(desk, name);
    }
    template <class Desk> void stop_waiting(Desk& desk, const SessionId& id) {
        const Small<Name, 1> names = sessions.find(id)->locks;
        for (const Name& name : names) {
            for (Round request : requests_of(id, name)) {
                if (!holder(*locks.find(name), id, request)) leave(id, name, request);
            }
            serve(desk, name);
        }
    }
    void leave(const SessionId& id, const Name& name, Round request) {
        Lock* lock = locks.find(name);
        Session* session = sessions.find(id);
        if (!lock || !session) return;
        const auto it = [&](const auto& one) {
            return one.session == id && one.request == request;
        };
        erase_if(lock->holders, it);
        erase_if(lock->queue, it);
        if (!requests_of(id, name).empty()) return;
        erase_if(session->locks, [&](const Name& one) { return one == name; });
    }

    // Two, if it asks again before it was heard that it has let go.
    Small<Round, 2> requests_of(const SessionId& id, const Name& name) const {
        Small<Round, 2> mine;
        const Lock* lock = locks.find(name);
        if (!lock) return mine;
        for (const Holder& one : lock->holders) {
            if (one.session == id) mine.push_back(one.request);
        }
        for (const Waiter& one : lock->queue) {
            if (one.session == id) mine.push_back(one.request);
        }
        return mine;
    }
};

}  // namespace conclave::locks
