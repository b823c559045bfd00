// node/node_locks.cc -- a node and the lock service: its sessions' locks, and what whoever leads it
// is asked.
#include <optional>
#include <utility>

#include "node/node.h"
#include "node/placing.h"

namespace conclave::node {

std::optional<Error> Node::open_session_locks() {
    auto alarm = net::Alarm::make(loop_);
    if (!alarm) return alarm.error();
    lock_alarm_.emplace(std::move(*alarm));
    SessionLocks::House house;
    house.now = [this] { return now(); };
    house.say = [this](locks::FromGuest said) { group(lock_group)->hear_guest(std::move(said)); };
    house.wake = [this](Instant due) {
        if (!stopped_) lock_alarm_->at(due, [this] { session_locks_->tick(); });
    };
    house.session = config_.locks.session_max;
    session_locks_ = std::make_unique<SessionLocks>(std::move(house));
    return std::nullopt;
}

void Node::ended(const std::string& session) {
    if (session_locks_) session_locks_->ended(session);
}

void Node::follow_lock_leader() {
    if (!session_locks_) return;
    const Leadership& known = group(lock_group)->leadership();
    session_locks_->led(known.leader ? std::optional(known.epoch) : std::nullopt);
}

std::optional<NodeId> Node::lock_leader_elsewhere() {
    const auto leader = group(lock_group)->leader();
    return leader && takes_wishes(*leader) ? leader : std::nullopt;
}

std::optional<locks::LockList> Node::own_locks() {
    constexpr std::size_t room = wire::frame_limit / 2;  // it travels between nodes
    HostedGroup* const served = config_.locks.serve ? group(lock_group) : nullptr;
    if (!served || !served->leads()) return std::nullopt;
    return served->machine().lock_list(now(), room);
}

std::optional<std::uint64_t> Node::dismiss_here(const locks::Name& lock) {
    HostedGroup* const served = config_.locks.serve ? group(lock_group) : nullptr;
    if (!served || !served->leads()) return std::nullopt;
    const auto holders = served->machine().dismiss(lock);
    if (holders) {
        log_.log(Level::warning, "whoever holds a lock is dismissed",
                 {{"lock", lock}, {"holders", std::to_string(*holders)}});
    }
    return holders;
}

void Node::list_locks(Messenger::Listed then) {
    const auto leader = lock_leader_elsewhere();
    if (!leader) return then(own_locks());
    messenger_.ask_for_locks(*leader, std::move(then));
}

void Node::dismiss(const locks::Name& lock, Messenger::Dismissed then) {
    const auto leader = lock_leader_elsewhere();
    if (!leader) return then(dismiss_here(lock));
    messenger_.dismiss(*leader, lock, std::move(then));
}

}  // namespace conclave::node
