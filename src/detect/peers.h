// detect/peers.h -- those whom a detector watches, and what it says of them.
//
// A detector's Peer has a node, a status and an incarnation (of its last message; zero: not known
// yet), and whatever else is to be remembered of it.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "detect/detection.h"

namespace conclave {

template <class Peer> struct Peers {
    std::vector<Peer> list;  // by id

    const Peer* find(NodeId node) const {
        const auto found = std::ranges::lower_bound(list, node, {}, &Peer::node);
        return found != list.end() && found->node == node ? &*found : nullptr;
    }
    Peer* find(NodeId node) { return const_cast<Peer*>(std::as_const(*this).find(node)); }
    Status status(NodeId node) const {
        const Peer* peer = find(node);
        return peer ? peer->status : Status::unsuspected;
    }
    bool suspects(NodeId node) const { return status(node) != Status::unsuspected; }

    // Keeps to the members: `gone` is told who is none any more, `come` who has become one.
    template <class Gone, class Come>
    void follow(const MemberList& members, NodeId self, Gone gone, Come come) {
        std::erase_if(list, [&](const Peer& peer) {
            if (members.contains(peer.node)) return false;
            gone(peer);
            return true;
        });
        for (const Member& member : members) {
            if (member.node == self || find(member.node)) continue;
            const auto place = std::ranges::lower_bound(list, member.node, {}, &Peer::node);
            come(*list.insert(place, Peer{.node = member.node}));
        }
    }
};

namespace detection {

template <class P> void accuse(Turn<P>& turn, typename P::Peer& peer) {
    if (turn.config().reliable) {
        peer.status = Status::failed;
        turn.tell(Failed{peer.node});
    } else {
        peer.status = Status::suspected;
        turn.tell(Suspected{peer.node});
    }
}
template <class P> void absolve(Turn<P>& turn, typename P::Peer& peer) {
    const Status before = std::exchange(peer.status, Status::unsuspected);
    if (before != Status::unsuspected) turn.tell(Trusted{peer.node});
}
// It spoke. True: it had been declared failed, and the alarm is raised; the verdict stands.
template <class P> bool disproves(Turn<P>& turn, typename P::Peer& peer) {
    if (peer.status < Status::failed) return false;
    const Status before = std::exchange(peer.status, Status::disproved);
    if (before == Status::failed) turn.tell(BoundBroken{peer.node});
    return true;
}
// Notices another life, and lets it begin. False: the message is from one that is over.
template <class P, class NewLife>
bool meet(Turn<P>& turn, typename P::Peer& peer, Incarnation shown, NewLife new_life) {
    if (shown < peer.incarnation) return false;
    const Incarnation before = std::exchange(peer.incarnation, shown);
    if (before > Incarnation{} && shown > before) {
        new_life();
        turn.tell(Restarted{peer.node});
    } else if (before == Incarnation{} && peer.status == Status::failed) {
        new_life();  // whoever was silent, it was not this one
    }
    return true;
}

}  // namespace detection

}  // namespace conclave
