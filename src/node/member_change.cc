#include "node/member_change.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "node/node.h"

namespace conclave::node {

namespace {

using ErrorCode = boost::system::error_code;

constexpr Duration between_tries = std::chrono::milliseconds(50);

bool others_may_lead(const HostedGroup& group, NodeId node) {
    return std::ranges::any_of(group.electorate(), [node](const Member& member) {
        return member.node != node && quorum::may_lead(member);
    });
}

}  // namespace

MemberChange::MemberChange(boost::asio::io_context& loop, Node& node, Wish wish, Ended then)
    : loop_(loop),
      node_(node),
      wish_(std::move(wish)),
      then_(std::move(then)),
      pause_(loop),
      deadline_(loop, wish_.patience) {}

void MemberChange::start() {
    if (const auto why = objection()) return finish(End::How::refused, *why);
    for (const auto& group : node_.groups()) {
        // Who leaves is not in the others: that would have been an objection.
        const bool changes = node_.reforms(*group);
        if (changes) groups_.push_back(group->name());
        if (!changes && wish_.role) end_.others.push_back(group->name());
    }
    if (wish_.role && !known()) {
        node_.learn({node_.cards().draw(wish_.node, wish_.name, wish_.address, false)});
    }
    deadline_.async_wait([self = shared_from_this()](const ErrorCode& error) {
        if (!error) self->finish(End::How::out_of_time, self->waiting_for_);
    });
    next();
}

bool MemberChange::known() const {
    const auto peer = node_.peer(wish_.node);
    return wish_.node == node_.config().node.id || (peer && peer->address == wish_.address);
}

void MemberChange::stop() {
    then_ = nullptr;
    pause_.cancel();
    deadline_.cancel();
}

std::optional<std::string> MemberChange::objection() {
    if (wish_.role) return std::nullopt;
    for (const auto& group : node_.groups()) {
        const bool in_it = group->members().contains(wish_.node);
        if (in_it && !node_.reforms(*group)) {
            return wish_.name + " is in '" + group->name() + "' (" + group->algorithm() +
                   "), whose members only change with the configuration of all of them";
        }
        if (in_it && !others_may_lead(*group, wish_.node)) {
            return "without " + wish_.name + " nobody could lead '" + group->name() + "'";
        }
    }
    return std::nullopt;
}

void MemberChange::next() {
    if (!then_) return;
    if (groups_.empty()) {
        if (!wish_.role) {
            node_.learn({node_.cards().draw(wish_.node, wish_.name, wish_.address, true)});
        }
        return finish(End::How::done);
    }
    HostedGroup& group = *node_.group(groups_.front());
    const auto leader = group.leader();
    if (!leader) return again("nobody leads '" + group.name() + "'");
    if (wish_.role || *leader != wish_.node) return ask(group);
    const auto handed_over = [self = shared_from_this()](const auto&) {
        self->again(self->wish_.name + " does not hand over");
    };
    node_.hand_over(group, Resign{}, handed_over);
}

void MemberChange::ask(HostedGroup& group) {
    const std::string caught_up = wish_.name + " has not caught up (does it run, with '";
    waiting_for_ = wish_.role ? caught_up + group.name() + "' in its configuration?)"
                              : "too few of '" + group.name() + "' have taken the list up";
    HostedGroup::Reform wish = quorum::Expel{wish_.node};
    if (wish_.role) wish = quorum::Admit{wish_.node, *wish_.role, 1, std::nullopt};
    // The machine may be in the middle of its step.
    node_.reform(group, wish, wish_.patience,
                 [self = shared_from_this(), name = group.name()](const auto& answer) {
                     boost::asio::post(self->loop_,
                                       [self, name, answer] { self->answered(name, answer); });
                 });
}

void MemberChange::answered(const std::string& group,
                            const std::optional<HostedGroup::Answer>& answer) {
    if (!then_) return;
    if (!answer) return again("whoever leads '" + group + "' has not answered");
    if (!answer->understood) {
        return finish(End::How::refused, "the members of '" + group + "' cannot change");
    }
    if (!answer->refused) {
        end_.groups.push_back(group);
        groups_.erase(groups_.begin());
        return next();
    }
    const Refused::Why why = answer->refused->why;
    if (why == Refused::Why::not_leader || why == Refused::Why::busy) {
        return again(refusal(group, why));
    }
    finish(End::How::refused, refusal(group, why));
}

std::string MemberChange::refusal(const std::string& group, Refused::Why why) const {
    switch (why) {
        case Refused::Why::not_leader:
            return "whoever leads '" + group + "' cannot be asked from here, or has just changed";
        case Refused::Why::busy:
            return "another change of '" + group + "' is under way";
        case Refused::Why::stale_epoch:
            return "somebody wanted another change of '" + group + "' meanwhile";
        case Refused::Why::unreachable:
            if (wish_.role) return "whoever leads '" + group + "' does not know " + wish_.name;
            return "without " + wish_.name + " those who answer are no majority of '" + group + "'";
        case Refused::Why::not_eligible:
            break;
    }
    return "'" + group + "' could not elect anybody while that changes";
}

void MemberChange::again(std::string waiting_for) {
    if (!then_) return;
    waiting_for_ = std::move(waiting_for);
    pause_.expires_after(between_tries);
    pause_.async_wait([self = shared_from_this()](const ErrorCode& error) {
        if (!error) self->next();
    });
}

void MemberChange::finish(End::How how, std::string why) {
    if (!then_) return;
    end_.how = how;
    end_.why = std::move(why);
    const Ended then = std::exchange(then_, nullptr);
    stop();
    then(end_);
}

}  // namespace conclave::node
