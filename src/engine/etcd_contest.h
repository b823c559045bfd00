// engine/etcd_contest.h -- one wish for one thing in etcd: a lease, a key under it, and a turn.
//
//     lease grant -> put NAME/<lease> if it is not there -> wait for the key before -> hold
//
// It is ours when a linearizable answer shows both that nobody is before us and that our own key is
// there, and our own clock says that the lease is not over. Neither etcd's Campaign nor its Lock is
// used: they answer yes to a waiter whose lease has run out meanwhile (etcd #9921, #11456).
//
// A renewal counts from when it was sent, and only if no other etcd server has become the leader
// since the answer before it: a leader that hung and goes on answers for leases that its successor
// counts from earlier. Two linearizable answers around it, of the same server and term, show that.
// The second one also says whether our key is still there: an administrator may have deleted it.
//
// Breaks   if etcd itself revokes a lease that it has renewed. Before 2024 it does (etcd #15247,
//          repaired by #16822) when its leader hangs for longer than the lease and comes back. What
//          is left then is the token.
#pragma once
#include <memory>

#include "engine/engine.h"
#include "engine/etcd_gateway.h"
#include "engine/etcd_queue.h"

namespace conclave::engine::etcd {

std::unique_ptr<Contest> contend(const std::shared_ptr<Gateway>& gateway, Keys keys,
                                 const Claim& claim, Events& events);

}  // namespace conclave::engine::etcd
