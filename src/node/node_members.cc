// node/node_members.cc -- a node and who else there is: whom it talks to, and in which groups.
#include <algorithm>
#include <utility>

#include "node/config_rules.h"
#include "node/node.h"

namespace conclave::node {

namespace {

bool makes_sense(const Card& card) {
    const auto address = net::parse_address(card.address);
    return card.id != NodeId{} && !card.name.empty() && !wrong_name(card.name) && address &&
           !wrong_place(*address);
}

}  // namespace

std::vector<NodeId> Node::roster() const {
    std::vector<NodeId> all{config_.node.id};
    for (const PeerState& peer : peers_) {
        if (!peer.removed) all.push_back(peer.id);
    }
    std::ranges::sort(all);
    return all;
}

std::string Node::own_address() const {
    return net::to_text(config_.peer.advertise.value_or(config_.peer.listen));
}

std::string Node::membership() const {
    const std::vector<Peer> configured = node::roster(config_);
    std::vector<std::string> news;
    for (const Card& card : cards_.list()) {
        const auto in_file = std::ranges::find(configured, card.id, &Peer::id);
        const bool listed = in_file != configured.end();
        if (card.removed && listed) news.push_back(card.name + " removed");
        if (!card.removed && !listed) news.push_back(card.name + " added");
        if (!card.removed && listed && card.address != net::to_text(in_file->address))
            news.push_back(card.name + " found at " + card.address);
    }
    if (news.empty()) return "as configured";
    std::string words = "not as in the configuration: ";
    for (const std::string& one : news) words += (&one == &news.front() ? "" : ", ") + one;
    return words;
}

std::optional<Error> Node::take_cards(const Store& store) {
    const auto record = store.load(std::string(Cards::record), std::string(Cards::format));
    if (!record) return record.error();
    if (!*record) return std::nullopt;
    if (!cards_.read(**record)) return Error{"the stored list of members is damaged"};
    for (const Card& card : cards_.list()) apply(card);
    const std::string members = membership();
    if (members != "as configured") {
        log_.log(Level::warning, "the stored list of members counts, not that of the file",
                 {{"members", members}});
    }
    return std::nullopt;
}

void Node::learn(const std::vector<Card>& shown) {
    std::vector<Card> news;
    for (const Card& card : shown) {
        if (makes_sense(card) && cards_.take(card)) news.push_back(card);
    }
    if (news.empty() || stopped_) return;
    // Before its link goes, for whoever is removed should know; and on disk no later than a
    // machine's record that names somebody new.
    for (const PeerState& peer : peers_) show_cards(peer);
    writer_->save({std::string(Cards::record), std::string(Cards::format), cards_.bytes()}, [] {});
    for (const Card& card : news) apply(card);
    take_seats();
}

void Node::show_cards(const PeerState& peer) {
    if (!cards_.list().empty() && takes_wishes(peer.id))
        messenger_.show_cards(peer.id, cards_.list());
}

void Node::apply(const Card& card) {
    if (card.id == config_.node.id) return apply_to_self(card);
    auto peer = std::ranges::find(peers_, card.id, &PeerState::id);
    if (peer == peers_.end()) {
        PeerState state;
        state.id = card.id;
        state.removed = true;  // until it is added
        state.opinion_since = now();
        metrics_.add_peer(card.name);
        peer = peers_.insert(peers_.end(), std::move(state));
    }
    apply_to_peer(*peer, card);
}

void Node::apply_to_peer(PeerState& peer, const Card& card) {
    peer.name = card.name;
    peer.address = card.address;
    const bool was = std::exchange(peer.removed, card.removed);
    if (was != card.removed) {
        log_.log(Level::info, card.removed ? "a node was removed" : "a node was added",
                 {{"peer", peer.name}, {"address", peer.address}});
    }
    if (!links_) return;  // not yet
    if (card.removed) {
        links_->forget(peer.id, peer.name + " was removed from the cluster");
        ++peer.links;
        peer.linked = false;
        peer.early.clear();
        return messenger_.unlinked(peer.id);
    }
    if (const auto error = links_->add({peer.id, peer.name, peer.address}))
        log_.log(Level::error, "a peer cannot be reached", {{"why", error->what}});
}

void Node::apply_to_self(const Card& card) {
    if (card.removed) {
        log_.log(Level::error, "this node was removed from the cluster: it stands no more",
                 {{"node", config_.node.name}});
    }
    for (std::size_t at = 0; at < groups_.size(); ++at) take_stand(at);
}

// The detector watches whom we talk to. A group's list only grows: whose vote counts is for its
// election to say, and those it does not know yet are learners to it.
MemberList Node::seat_of(const HostedGroup& group) const {
    const bool detects = &group == detector_.get();
    std::vector<Member> list;
    for (const Member& member : group.members()) {
        const bool gone = detects && cards_.removed(member.node);
        if (!gone || member.node == config_.node.id) list.push_back(member);
    }
    for (const Card& card : cards_.list()) {
        const bool known = std::ranges::count(list, card.id, &Member::node) > 0;
        if (!card.removed && !known) list.push_back({card.id, 0, conclave::Role::learner, 1});
    }
    std::ranges::sort(list, {}, &Member::node);
    return MemberList(std::move(list));
}

void Node::take_seats() {
    if (cards_.list().empty()) return;
    std::vector<HostedGroup*> changed{detector_.get()};
    for (const auto& group : groups_) {
        if (reforms(*group)) changed.push_back(group.get());
    }
    for (HostedGroup* group : changed) group->seat(seat_of(*group));
    if (recorder_) recorder_->reseat();
    for (HostedGroup* group : changed) {
        if (group->machine().booted()) group->machine().hear(MembersChanged{});
    }
}

// A mutual exclusion may stand on an election that could, but it cannot itself; and whoever chose
// the members of a group by name did not mean everybody.
bool Node::reforms(const HostedGroup& group) const {
    const auto settings = std::ranges::find(config_.groups, group.name(), &Group::name);
    const bool chosen = settings != config_.groups.end() && settings->members;
    return group.can_reform() && !mutexes_.has(group.name()) && !chosen;
}

void Node::change_members(const MemberChange::Wish& wish, MemberChange::Ended then) {
    if (member_change_) {
        return then({MemberChange::End::How::refused, "another change is under way", {}, {}});
    }
    member_change_ = std::make_shared<MemberChange>(
        loop_, *this, wish, [this, then = std::move(then)](const MemberChange::End& end) {
            const auto over = std::exchange(member_change_, nullptr);
            then(end);
        });
    std::shared_ptr(member_change_)->start();
}

void Node::reform(HostedGroup& group, const HostedGroup::Reform& wish, Duration patience,
                  Messenger::Answered then) {
    const auto leader = group.leader();
    if (leader && takes_wishes(*leader))
        return messenger_.reform(*leader, group.name(), wish, patience, std::move(then));
    reform_here(group, wish, [then = std::move(then)](const auto& answer) { then(answer); });
}

void Node::reform_here(HostedGroup& group, const HostedGroup::Reform& wish,
                       HostedGroup::Answered then) {
    if (!reforms(group)) return then({false, {}});
    if (!group.leads()) return then({true, Refused{Refused::Why::not_leader}});
    const auto* expel = std::get_if<quorum::Expel>(&wish);
    if (expel && !can_do_without(group, expel->node))
        return then({true, Refused{Refused::Why::unreachable}});
    group.reform(wish, std::move(then));
}

// The leader goes by the new list at once: without a majority of it nobody would lead, and nothing
// could be changed any more.
bool Node::can_do_without(const HostedGroup& group, NodeId node) {
    std::uint64_t all = 0, there = 0;
    for (const Member& member : group.electorate()) {
        if (member.node == node || !quorum::votes(member)) continue;
        const auto known = peer(member.node);
        const bool suspected =
            known && known->opinion && known->opinion->status != Status::unsuspected;
        const bool answers =
            member.node == config_.node.id || (known && known->linked && !suspected);
        all += member.weight;
        there += answers ? member.weight : 0;
    }
    return 2 * there > all;
}

}  // namespace conclave::node
