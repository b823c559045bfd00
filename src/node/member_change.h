// node/member_change.h -- one change of the cluster's members, from an operator's wish to the last
// group.
//
// Somebody who joins is made known to everybody first, then admitted group by group: each leader
// lets it vote once it has caught up. Somebody who leaves is expelled group by group, and only then
// do the others stop talking to it. Each step is safe by itself and does nothing if it was done
// before, so a change that was given up in the middle is taken up by asking for it again.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "node/hosted_group.h"

namespace conclave::node {

class Node;

class MemberChange : public std::enable_shared_from_this<MemberChange> {
public:
    struct Wish {
        NodeId node{};
        std::string name, address;
        std::optional<conclave::Role> role;  // none: it leaves
        Duration patience{};
    };
    struct End {
        enum class How { done, refused, out_of_time };
        How how{};
        std::string why;                  // it was not done
        std::vector<std::string> groups;  // where it was
        std::vector<std::string> others;  // whose members cannot change while they run
    };
    using Ended = std::function<void(const End&)>;

    MemberChange(boost::asio::io_context& loop, Node& node, Wish wish, Ended then);
    void start();
    void stop();  // nobody is told anything after it

private:
    std::optional<std::string> objection();
    bool known() const;  // there, everybody can find it
    void next();
    void ask(HostedGroup& group);
    void answered(const std::string& group, const std::optional<HostedGroup::Answer>& answer);
    void again(std::string waiting_for);
    void finish(End::How how, std::string why = {});
    std::string refusal(const std::string& group, Refused::Why why) const;

    boost::asio::io_context& loop_;
    Node& node_;
    const Wish wish_;
    Ended then_;
    std::vector<std::string> groups_;  // that are still to be changed
    End end_;
    std::string waiting_for_;
    boost::asio::steady_timer pause_, deadline_;
};

}  // namespace conclave::node
