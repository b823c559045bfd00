// node/messenger.h -- a hand-over may be wished at any node; the one that leads is asked to do it.
//
// The wish goes over the link between the two nodes, and what the leader says to it comes back. To
// the links this is one more machine, with a place of its own in the hello: a peer of a version
// that has none is asked nothing. A wish is passed on once, and never kept for later.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "node/hosted_group.h"

namespace conclave::node {

class Messenger {
public:
    static constexpr std::string_view name = "(messenger)";  // no group can have that name

    using Told = std::function<void(const HostedGroup::Answer&)>;  // once, perhaps later
    struct Office {                                                // of the node
        std::function<void(NodeId to, ByteView letter)> send;
        std::function<void(NodeId from, const std::string& group, const Resign&, const Told&)> ask;
        Duration patience = std::chrono::seconds(2);  // less than clients have
    };
    // Nothing: the leader did not say, and may have done it.
    using Answered = std::function<void(const std::optional<HostedGroup::Answer>&)>;

    Messenger(boost::asio::io_context& loop, Office office);

    void ask(NodeId leader, const std::string& group, const Resign& wish, Answered then);
    [[nodiscard]] bool receive(NodeId from, ByteView letter);  // false: malformed
    void unlinked(NodeId peer);                                // it will not answer any more
    void stop();                                               // nobody is told anything after it

private:
    struct HandOver {
        std::uint64_t number = 0;  // the asker's, to know the answer by
        std::string group;
        std::optional<NodeId> to;
    };
    struct Outcome {
        std::uint64_t number = 0;
        bool understood = false;
        std::optional<Refused> refused;
    };
    using Letter = std::variant<HandOver, Outcome>;
    struct Waiting {
        NodeId leader{};
        Answered then;
        boost::asio::steady_timer patience;
    };

    void send(NodeId to, const Letter& letter);
    void take(NodeId from, const HandOver& wish);
    void take(NodeId from, const Outcome& outcome);
    void settle(std::uint64_t number, const std::optional<HostedGroup::Answer>& answer);

    boost::asio::io_context& loop_;
    const Office office_;
    std::map<std::uint64_t, Waiting> waiting_;
    std::uint64_t numbers_ = 0;
};

}  // namespace conclave::node
