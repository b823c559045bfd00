// node/messenger.h -- a hand-over may be wished at any node; the one that leads is asked to do it.
// Likewise whoever leads a group is asked to change its members, and whoever leads the lock service
// for its locks, and to dismiss who holds one. And nodes show each other whom they know.
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
#include <vector>

#include "node/cards.h"
#include "node/hosted_group.h"

namespace conclave::node {

class Messenger {
public:
    static constexpr std::string_view name = "(messenger)";  // no group can have that name

    using Told = std::function<void(const HostedGroup::Answer&)>;  // once, perhaps later
    struct Office {                                                // of the node
        std::function<void(NodeId to, ByteView letter)> send;
        std::function<void(NodeId from, const std::string& group, const Resign&, const Told&)> ask;
        std::function<std::optional<locks::LockList>()> locks;  // nothing: I do not lead them
        std::function<std::optional<std::uint64_t>(const locks::Name&)> dismiss;
        std::function<void(NodeId from, const std::string& group, const HostedGroup::Reform&,
                           const Told&)>
            reform;
        std::function<void(NodeId from, const std::vector<Card>&)> cards;
        Duration patience = std::chrono::seconds(2);  // less than clients have
    };
    // Nothing: the leader did not say, and may have done it.
    using Answered = std::function<void(const std::optional<HostedGroup::Answer>&)>;

    Messenger(boost::asio::io_context& loop, Office office);

    void ask(NodeId leader, const std::string& group, const Resign& wish, Answered then);
    // As long as `patience`: it may wait for somebody who joins.
    void reform(NodeId leader, const std::string& group, const HostedGroup::Reform& wish,
                Duration patience, Answered then);
    void show_cards(NodeId to, const std::vector<Card>& cards);
    // Nothing: it did not say, or leads no more.
    using Listed = std::function<void(const std::optional<locks::LockList>&)>;
    void ask_for_locks(NodeId leader, Listed then);
    using Dismissed = std::function<void(std::optional<std::uint64_t> holders)>;
    void dismiss(NodeId leader, const locks::Name& lock, Dismissed then);
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
    struct WhichLocks {
        std::uint64_t number = 0;
    };
    struct TheseLocks {
        std::uint64_t number = 0;
        std::optional<locks::LockList> list;
    };
    struct DismissHolders {
        std::uint64_t number = 0;
        locks::Name lock;
    };
    struct HoldersDismissed {
        std::uint64_t number = 0;
        std::optional<std::uint64_t> holders;
    };
    struct ChangeMembers {  // answered by an Outcome
        std::uint64_t number = 0;
        std::string group;
        HostedGroup::Reform wish;
    };
    struct WhomIKnow {
        std::vector<Card> cards;
    };
    using Letter = std::variant<HandOver, Outcome, WhichLocks, TheseLocks, DismissHolders,
                                HoldersDismissed, ChangeMembers, WhomIKnow>;
    struct Waiting {
        NodeId leader{};
        std::function<void(const Letter*)> then;  // nothing: no answer will come
        boost::asio::steady_timer patience;
    };

    void send(NodeId to, const Letter& letter);
    template <class Question, class Then>
    void pose(NodeId leader, Question question, Duration patience, Then then);
    static std::function<void(const Letter*)> outcome(Answered then);
    void take(NodeId from, const HandOver& wish);
    void take(NodeId from, const WhichLocks& question);
    void take(NodeId from, const DismissHolders& wish);
    void take(NodeId from, const ChangeMembers& wish);
    void take(NodeId from, const WhomIKnow& shown);
    template <class Answer> void take(NodeId from, const Answer& answer);
    void settle(std::uint64_t number, const Letter* answer);

    boost::asio::io_context& loop_;
    const Office office_;
    std::map<std::uint64_t, Waiting> waiting_;
    std::uint64_t numbers_ = 0;
};

}  // namespace conclave::node
