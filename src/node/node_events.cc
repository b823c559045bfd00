// node/node_events.cc -- what happens to a node: letters, timers, verdicts, changes.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>
#include <variant>

#include "core/print.h"
#include "node/history.h"
#include "node/metric_labels.h"
#include "node/node.h"

namespace conclave::node {

namespace {

constexpr std::size_t changes_kept = 1024;

std::string_view why_distrusted(Acquaintance how) {
    switch (how) {
        case Acquaintance::first_time:
        case Acquaintance::same:
            return "";
        case Acquaintance::went_back:
            return "its state directory is older than the one it had: a backup?";
        case Acquaintance::another_store:
            return "it has another state directory than it had: its votes are forgotten";
    }
    return "";
}

// Any letter is a sign of life, from a peer or for it, but the detector need not hear of each.
bool is_news(std::optional<Instant>& last, Instant now) {
    constexpr Duration often = std::chrono::milliseconds(20);
    if (last && now - *last < often) return false;
    last = now;
    return true;
}

}  // namespace

// A peer that lost its disk must not vote under its old name: it may have voted already. Until we
// know, its letters count for nothing.
void Node::linked(NodeId peer, const wire::Hello& hello) {
    PeerState* state = find_peer(peer);
    if (!state) return;
    const std::uint64_t link = ++state->links;
    writer_->meet(peer, {{hello.store}, hello.incarnation},
                  [this, state, link, hello](const Result<PeerKnown>& known) {
                      if (!known) return disk_failed(known.error());
                      if (link == state->links) welcome(*state, hello, known->how);
                  });
}

void Node::welcome(PeerState& peer, const wire::Hello& hello, Acquaintance how) {
    peer.distrusted = std::string(why_distrusted(how));
    if (!peer.distrusted.empty()) {
        return log_.log(Level::error, "a peer is not believed",
                        {{"peer", hello.name}, {"why", peer.distrusted}});
    }
    peer.linked = true;
    peer.machines.clear();
    for (const wire::Offer& offer : hello.groups) peer.machines.push_back(ours(offer, hello.name));
    const bool first = peer.incarnation.value == 0;
    const bool restarted = !first && hello.incarnation > peer.incarnation;
    if (booted_ && !restarted && !mutexes_.empty()) meet_again(peer, first);
    peer.incarnation = hello.incarnation;
    if (restarted && booted_) {
        detector_->machine().hear(Restarted{peer.id});
        spread(Restarted{peer.id}, peer.id);
    }
    show_cards(peer);
    boot_when_linked();
    catch_up(peer);
}

// What a mutual exclusion has said to somebody who was not there yet is as if said to an earlier
// life. What was on its way over a link that broke is lost, and none of them expects that.
void Node::meet_again(const PeerState& peer, bool first) {
    if (!first) {
        return log_.log(Level::warning, "a link was broken: in a mutex somebody may wait for ever",
                        {{"peer", peer.name}});
    }
    for (auto& group : groups_) {
        if (mutexes_.has(group->name())) group->machine().hear(Restarted{peer.id});
    }
}

std::optional<std::uint32_t> Node::ours(const wire::Offer& offer, const std::string& peer) {
    if (offer.name == Messenger::name) return messengers_place();
    std::optional<std::uint32_t> ours;
    if (offer.name == detector_->name()) ours = 0;
    for (std::uint32_t number = 0; number < groups_.size(); ++number) {
        if (groups_[number]->name() == offer.name) ours = number + 1;
    }
    if (!ours || machine(*ours).algorithm() == offer.algorithm) return ours;
    log_.log(Level::error, "a group runs another algorithm elsewhere",
             {{"group", offer.name},
              {"peer", peer},
              {"algorithm", offer.algorithm},
              {"here", machine(*ours).algorithm()}});
    return std::nullopt;
}

void Node::unlinked(NodeId peer, std::string_view) {
    PeerState* state = find_peer(peer);
    if (!state) return;
    ++state->links;  // whatever was said on it is over
    state->linked = false;
    state->early.clear();
    messenger_.unlinked(peer);
}

// The kernel is told once when to wake us next, not at every step on the way.
template <class F> void Node::at_once(F what) {
    const bool inside = std::exchange(busy_, true);
    what();
    busy_ = inside;
    if (inside) return;
    wake_at_next();
    if (awake_) awake_();
}

// What comes before we know whether to believe its sender, or before our machines have booted,
// waits: for the sender the link is up, and most elections count on it that nothing is lost.
void Node::arrived(NodeId peer, std::uint32_t group, ByteView message, Duration waited) {
    if (failure_ || cut_off_.contains(peer)) return;
    PeerState* state = find_peer(peer);
    if (!state || !state->distrusted.empty()) return;
    if (state->linked && booted_) {
        return at_once([&] {
            waited_ = waited;
            deliver(*state, group, message);
            waited_ = {};
        });
    }
    constexpr std::size_t most = 256;  // it is about a moment
    if (state->early.size() == most) return;
    state->early.push_back({group, Bytes(message.begin(), message.end())});
}

void Node::catch_up(PeerState& peer) {
    if (!peer.linked || !booted_) return;
    for (const PeerState::Letter& letter : std::exchange(peer.early, {}))
        deliver(peer, letter.group, letter.message);
}

void Node::deliver(PeerState& peer, std::uint32_t group, ByteView message) {
    if (group >= peer.machines.size()) return;
    const auto ours = peer.machines[group];
    if (!ours) return;
    if (*ours == 0) peer.last_heard = moment();
    if (*ours != 0 && is_news(peer.last_heard, moment())) detector_->machine().hear(Heard{peer.id});
    const bool for_messenger = *ours == messengers_place();
    const bool legible = for_messenger ? messenger_.receive(peer.id, message)
                                       : machine(*ours).machine().receive(peer.id, message);
    if (legible) return;
    const std::string whose(for_messenger ? Messenger::name : machine(*ours).name());
    log_.log(Level::warning, "a letter could not be read", {{"peer", peer.name}, {"group", whose}});
}

// What has waited to be read happens as of when it came: had we been awake it would have been no
// different, and what we say to it is as if the network were slow. But nothing happens before
// something that has happened already.
Instant Node::moment() { return latest_ = std::max(latest_, now() - waited_); }

void Node::look() {
    if (booted_ && !stopped_) links_->look();
}

void Node::look_now_and_then() {
    if (booted_ && !stopped_) links_->look_now_and_then();
}

Duration Node::draw(Wait wait) {
    if (wait.most <= wait.least) return wait.least;
    return Duration(
        std::uniform_int_distribution<Duration::rep>(wait.least.count(), wait.most.count())(dice_));
}

void Node::send(std::uint32_t machine, NodeId to, ByteView message, net::Hurry hurry) {
    PeerState* peer = find_peer(to);
    if (!peer || !peer->linked || cut_off_.contains(to)) return;
    links_->send(to, machine, message, hurry);
    if (machine != 0 && is_news(peer->last_told, moment())) detector_->machine().hear(Spoke{to});
}

void Node::alarm(std::uint32_t machine, Instant due, std::uint32_t stamp) {
    timers_.set(due, machine, stamp);
    if (!busy_) wake_at_next();
}

void Node::save(std::uint32_t number, ByteView record) {
    HostedGroup& group = machine(number);
    writer_->save({group.name(), group.algorithm(), Bytes(record.begin(), record.end())},
                  [this, number] { machine(number).machine().saved(); });
}

void Node::changed(const Change& change) {
    const std::string leader = change.now.leader ? name_of(*change.now.leader) : "";
    log_.log(Level::info, change.now.leader ? "leader" : "no leader",
             {{"group", change.group},
              {"leader", leader},
              {"epoch", std::to_string(change.now.epoch.value)},
              {"reason", change.cause.reason}});
    if (change.now.leader && !mutexes_.has(change.group)) {
        const bool first = change.now.index == 2;  // it began with nobody
        metrics_.leader_changed(place_of(change.group), reason(change.cause, first));
        if (!first) metrics_.failover(change.without);
    }
    const std::uint64_t number = next_change_++;
    writer_->append(to_entry(number, change));
    if (changes_.size() == changes_kept) changes_.erase(changes_.begin());
    changes_.emplace_back(number, change);
    for (const auto& weak : std::vector(listeners_)) {
        if (const auto listener = weak.lock()) (*listener)(number, change);
    }
    // The machine is in the middle of its step.
    boost::asio::post(loop_, [this, group = change.group] {
        if (stopped_) return;
        sessions_.changed(group);
        if (group == lock_group) follow_lock_leader();
    });
}

// What the machine knows may still be on its way to the disk; what it has told is there.
std::optional<Tenure> Node::tenure(const std::string& group) {
    if (mutexes_.has(group)) return mutexes_.stay(group);
    HostedGroup& hosted = *groups_[static_cast<std::size_t>(place_of(group))];
    const Leadership& told = hosted.leadership();
    auto held = hosted.machine().tenure(now());
    if (!held || told.leader != hosted.self()) return std::nullopt;
    held->epoch = told.epoch;
    return held;
}

Attribute Node::attribute(const std::string& group) {
    return groups_[static_cast<std::size_t>(place_of(group))]->own_attribute();
}

void Node::stand(const std::string& group, const Sessions::Standing& standing) {
    if (mutexes_.has(group)) return mutexes_.want(group, standing.wanted);
    const auto at = static_cast<std::size_t>(place_of(group));
    groups_[at]->stand_for(standing.priority);  // before its machine moves
    fitness_[at].campaigned = standing.wanted;
    take_stand(at);
}

void Node::resign(const std::string& group) {
    if (mutexes_.has(group)) return mutexes_.leave(group);
    static_cast<void>(groups_[static_cast<std::size_t>(place_of(group))]->ask(Resign{}));
}

void Node::wake(Instant due) {
    const auto ring = [this] {
        look();
        sessions_.tick();
    };
    if (!stopped_) session_alarm_->at(due, ring);
}

std::optional<std::string> Node::no_campaign(const HostedGroup& group) const {
    const auto settings = std::ranges::find(config_.groups, group.name(), &Group::name);
    if (!group.machine().has_lease()) {
        return group.algorithm() + " has no lease: nobody could say until when it leads";
    }
    if (settings->preempt) {
        return "with preempt a better node takes the lead before its application has stopped";
    }
    if (!group.may_lead(group.self())) return "this node may not lead the group";
    return std::nullopt;
}

GroupPlace Node::place_of(const std::string& group) const {
    const auto found = std::ranges::find(groups_, group, &HostedGroup::name);
    return GroupPlace{static_cast<std::uint32_t>(found - groups_.begin())};
}

void Node::told(std::uint32_t number, const Told& notice) {
    if (const auto* served = std::get_if<locks::Served>(&notice))
        metrics_.lock_wait(served->waited);
    if (std::holds_alternative<locks::Forfeited>(notice)) metrics_.lock_lost();
    if (number != 0) {
        if (notice_ear_) notice_ear_(*groups_[number - 1], notice);
        const std::string& group = machine(number).name();
        return mutexes_.has(group) ? mutexes_.told(group, notice)
                                   : errands_[number - 1]->told(notice);
    }
    std::visit(
        [this]<class N>(const N& one) {
            if constexpr (std::is_same_v<N, Suspected> || std::is_same_v<N, Failed> ||
                          std::is_same_v<N, Trusted>) {
                note_opinion(one.node, std::is_same_v<N, Trusted>);
                spread(one, one.node);
            } else if constexpr (std::is_same_v<N, Slept>) {
                metrics_.loop_lag(one.late);
                log_.log(Level::warning, "this node was asleep",
                         {{"for", conclave::to_text(one.late)}});
            } else if constexpr (std::is_same_v<N, BoundBroken>) {
                log_.log(Level::error, "a node declared failed has spoken: the bounds are wrong",
                         {{"peer", name_of(one.node)}});
            }
        },
        notice);
}

void Node::record(wire::RecordedStep step, std::optional<NodeId> from) {
    const PeerState* peer = from ? find_peer(*from) : nullptr;
    if (peer) step.life = peer->incarnation;
    recorder_->step(step);
}

void Node::spread(const Verdict& verdict, NodeId about) {
    for (auto& group : groups_) {
        if (group->members().contains(about)) group->machine().hear(verdict);
    }
}

void Node::note_opinion(NodeId node, bool trusted) {
    const auto found = std::ranges::find(peers_, node, &PeerState::id);
    if (found == peers_.end()) return;
    PeerState* const peer = &*found;
    const Instant at = now();
    const auto silence = [&] {
        if (!peer->last_heard) return std::string("it was never heard");
        const auto whole = std::chrono::floor<std::chrono::milliseconds>(at - *peer->last_heard);
        return "nothing heard for " + conclave::to_text(Duration(whole));
    };
    peer->opinion_since = at;
    peer->evidence = trusted ? "it was heard again" : silence();
    const PeerPlace place{static_cast<std::uint32_t>(found - peers_.begin())};
    if (!trusted) {
        metrics_.suspected(place);
        peer->suspected_life = peer->incarnation;
    } else if (peer->suspected_life == peer->incarnation) {
        metrics_.suspected_wrongly(place);
    }
    log_.log(trusted ? Level::info : Level::warning, trusted ? "unsuspected" : "suspected",
             {{"peer", peer->name}, {"evidence", peer->evidence}});
    if (opinion_ear_) opinion_ear_(*peer, trusted);
}

Instant Node::next_due() {
    return timers_.next([this](const Timers::Due& due) {
        return machine(due.machine).machine().awaits(due.stamp);
    });
}

void Node::wake_at_next() {
    const Instant next = booted_ ? next_due() : next_boot();
    if (stopped_ || next == alarm_set_) return;
    alarm_set_ = next;
    if (next == Instant::max()) return alarm_->cancel();
    alarm_->at(next, [this] { fire_due(); });
}

// Timers wait for what has arrived at the same moment: an answer that is in time must count.
void Node::fire_due() {
    alarm_set_ = Instant::max();
    // What was saved meanwhile may still have set it off; and who cannot remember decides nothing.
    if (stopped_ || failure_) return;
    boot_when_linked();
    links_->gather();
    at_once([this] {
        if (booted_) links_->look();  // much of it wakes nobody
        const Instant at = now();
        while (next_due() <= at) {
            const Timers::Due due = timers_.take();
            metrics_.loop_lag(at - due.at);
            machine(due.machine).machine().fire(due.stamp);
        }
    });
    links_->flush();
}

void Node::disk_failed(const Error& error) {
    if (!failure_) log_.log(Level::error, "the disk has failed", {{"why", error.what}});
    failure_ = error;
}

}  // namespace conclave::node
