// elect/quorum_reform.h -- how the members change while the election runs: one list, no log.
//
// Ensures  any two lists by which somebody can still be elected have quorums that meet (Q7), so one
//          vote per epoch and one promise at a time go on meaning one leader.
// Breaks   if a leader changes a list that is not committed in its own epoch: an earlier leader may
//          have changed the same list, and nothing says that the two changes get along.
//          See scenarios/quorum_members_changed_twice_makes_two_leaders.txt.
//
// A list is committed when a quorum of it has it and has promised the epoch of the leader that
// wrote it: whoever comes later asks one of them, and must have that list or a newer one. So a
// leader first writes the list anew under its own epoch. It need not while nobody asks for a change
// and the list is still the first: such a leader makes no list, and between lists of others it adds
// nothing that could fail to meet them. A group that never changes its members pays nothing.
#pragma once
#include <optional>
#include <utility>

#include "core/value.h"
#include "elect/quorum.h"

namespace conclave::quorum {

// The members I go by.
inline Electorate Quorum::members(const Turn& turn) const {
    if (voter.record.members.empty()) return turn.seat.members;
    return voter.record.members;
}
// Until a new list is committed the old one counts as well.
inline bool Quorum::is_majority(const Turn& turn, const NodeSet& nodes) const {
    return is_quorum(members(turn), nodes) &&
           (reform.before.empty() || is_quorum(reform.before, nodes));
}
inline std::optional<Instant> Quorum::lease_end(const Turn& turn) const {
    const auto end = lease.end(members(turn));
    if (!end || reform.before.empty()) return end;
    const auto before = lease.end(reform.before);
    return before ? std::optional(std::min(*end, *before)) : std::nullopt;
}
template <class F> void Quorum::for_others(const Turn& turn, F each) const {
    const Electorate all = members(turn);
    for (const Member& member : all) {
        if (member.node != turn.seat.self) each(member);
    }
    for (const Member& member : reform.before) {
        if (all.find(member.node) == nullptr) each(member);
    }
}

// Everybody.

inline void Quorum::push_list(Turn& turn, NodeId to) const {
    turn.send(to, ConfigPush{voter.record.config, voter.record.members});
}
// The one place where I go by another list.
inline void Quorum::adopt(Turn& turn, ConfigVersion config, Roster list) {
    voter.adopt(config, std::move(list));
    save(turn);
    turn.tell(Reformed{config, false});
}

// The leader.

// The next list on the way to what is wanted. Nothing while a newcomer has not caught up: before
// its vote counts it must have the list and my epoch, or a quorum might consist of strangers.
inline std::optional<Roster> Reform::next(const Electorate& now, bool insists) const {
    Roster list = now.copy();
    const auto place = std::ranges::find(list, wanted->node, &Member::node);
    const bool known = place != list.end();
    if (!wanted->as) {
        if (known) list.erase(place);
        return list;
    }
    Member as = *wanted->as;
    if (votes(as) && !(known && votes(*place)) && !acked.contains(as.node) && insists) {
        if (known) return std::nullopt;
        as.role = Role::learner;
    }
    known ? void(*place = as) : list.push_back(as);
    return list;
}
// Who waits for a newcomer that does not come may think better of it.
inline void Quorum::want(Turn& turn, Change change) {
    if (!office) return turn.tell(Refused{Refused::Why::not_leader});
    if (reform.wanted && reform.open) return turn.tell(Refused{Refused::Why::busy});
    if (change.node == turn.seat.self && !(change.as && may_lead(*change.as)))
        return turn.tell(Refused{Refused::Why::not_eligible});  // appoint somebody else first
    if (change.as && !turn.seat.members.contains(change.node))
        return turn.tell(Refused{Refused::Why::unreachable});
    reform.wanted = change;
    go_on(turn);
}
// It stays: a quorum has it and my epoch. And my lease is no longer one that the list before gave.
inline bool Quorum::committed(const Turn& turn) const {
    return is_quorum(members(turn), reform.acked) && lease.end(members(turn)) >= office->lease_end;
}
// One change at a time, and each from a list that is committed in my own epoch.
inline void Quorum::go_on(Turn& turn) {
    if (reform.open && committed(turn)) {
        reform.open = false;
        reform.before.clear();
    }
    if (!reform.wanted || reform.open) return;
    const bool careful = turn.fixed(committed_first);
    if (careful && voter.record.config.first < office->won) return write_anew(turn);
    const auto next = reform.next(members(turn), careful);
    if (!next) return;
    if (equal(*next, voter.record.members)) {
        reform.wanted.reset();
        return turn.tell(Reformed{voter.record.config, true});
    }
    if (!quorums_meet(members(turn), *next)) {
        reform.wanted.reset();
        return turn.tell(Refused{Refused::Why::not_eligible});
    }
    reform.before = members(turn).copy();
    publish(turn, *next, voter.record.config.second + 1);
}
inline void Quorum::write_anew(Turn& turn) {
    publish(turn, members(turn).copy(), voter.record.config.second);
}
inline void Quorum::publish(Turn& turn, Roster list, std::uint64_t number) {
    adopt(turn, {office->epoch, number}, std::move(list));
    reform.open = true;
    reform.acked = {turn.seat.self};
    renew(turn);
}
// To whoever has not said that it has it, with every renewal, for messages get lost.
inline void Quorum::push_on(Turn& turn) {
    if (voter.record.config == ConfigVersion{}) return;
    for_others(turn, [&](const Member& member) {
        if (!reform.acked.contains(member.node)) push_list(turn, member.node);
    });
}
inline void Quorum::stop_reforming(Turn& turn) {
    if (reform.wanted) turn.tell(Refused{Refused::Why::not_leader});
    reform = {};
}

}  // namespace conclave::quorum
