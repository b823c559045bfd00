// node/engine_machine.h -- a group whose record somebody else keeps: etcd, ZooKeeper.
//
// While this node would stand in an election of ours it stands in the engine's queue, and it looks
// all the time who is first there. The epoch is the engine's token.
//
// Ensures  this node leads only as long as its contest says so, by our own clock: see
//          engine/engine.h. Whatever goes wrong is said, and tried again.
// Breaks   nothing here if the engine is not reached, but then nobody is named any more: after a
//          lease without an answer this node does not know who leads.
//
// Who leads without being a member (`etcdctl elect`, a command at the engine itself, an earlier
// life of this node) is nobody whom a node could name; `trouble` says who it is.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "net/log.h"
#include "node/config.h"
#include "node/machine.h"

namespace conclave::node {

class EngineMachine final : public Machine, private engine::Events {
public:
    using Open = std::function<Result<std::unique_ptr<engine::Engine>>()>;
    struct Seat {
        std::string engine, group;  // their names
        Duration lease{};           // to ask for
        NodeId self{};
        std::vector<Peer> members{};  // this node, too
    };
    EngineMachine(Seat seat, Open open, Ground& ground, LogSink& log);
    ~EngineMachine() override { stop(); }

    std::optional<Error> boot(const std::optional<Bytes>& record) override;
    bool booted() const override { return booted_; }
    void stop() override;
    bool awaits(std::uint32_t stamp) const override { return stamp == stamp_; }
    void fire(std::uint32_t stamp) override;
    void hear(const Verdict& verdict) override;
    bool ask(const Wish& wish) override;

    std::optional<NodeId> leader(Instant now) const override;
    bool has_lease() const override { return true; }
    std::optional<Tenure> tenure(Instant now) const override;
    std::optional<std::string> trouble() const override;
    std::string show() const override;

    // No member ever writes to another about such a group, and nothing of it is on this disk.
    bool receive(NodeId, ByteView) override { return false; }
    void saved() override {}
    void seat(const MemberList&) override {}  // who stands is the engine's to know
    std::vector<Member> reformed() const override { return {}; }
    void hear_guest(locks::FromGuest) override {}
    std::optional<locks::LockList> lock_list(Instant, std::size_t) const override { return {}; }
    std::optional<locks::LockCounts> lock_counts() const override { return {}; }
    std::optional<std::uint64_t> dismiss(const locks::Name&) override { return {}; }
    std::optional<Instant> inside(Instant) const override { return {}; }
    std::optional<Opinion> opinion(NodeId) const override { return {}; }
    std::vector<MessageCount> counts() const override { return {}; }
    void portray(wire::RecordedMachine&) const override {}

private:
    // Of the contest. What is over is let go of at the next tick, not in the middle of its call.
    enum class Phase : std::uint8_t { none, waiting, held, leaving, over };
    struct Worry {  // what is wrong, until it goes well again
        std::optional<net::Trouble> kind{};
        std::string what{};
    };

    // As the contest's events.
    void reached(const std::string&) override {}
    void busy() override { calm(asking_); }
    void granted(const locks::Token& token) override;
    void renewed() override;
    void lost() override;
    void left() override;
    void failed(const net::Failure& failure, bool final) override;

    void tick_at(Instant due);
    void arrange();
    void open();
    void contend();
    void look();
    void leave();
    void seen(const engine::Found<engine::Standing>& found);
    void forget(std::string_view name, std::string why);  // who leads
    std::optional<NodeId> member_first() const;
    std::string stranger() const;  // who is first, and no member
    void end_of_leader();
    void name_leader();
    void report(std::string_view name, std::string text);
    void worry(Worry& about, const net::Failure& failure);
    void calm(Worry& about);
    std::string name_of(NodeId node) const;

    const Seat seat_;
    const Open open_;
    Ground& ground_;
    LogSink& log_;
    bool booted_ = false, stands_ = true, departing_ = false, refused_ = false;
    std::uint32_t stamp_ = 0;  // of the tick that is awaited
    Instant tick_{};           // when that is,
    Instant retry_{};          //   and when what failed is tried again
    std::optional<Instant> blind_since_;
    std::optional<engine::Holder> first_;  // in the engine's queue, as last seen
    Phase phase_ = Phase::none;
    Tenure tenure_{};  // while `held`; until when, the contest knows
    LeaderIs told_{};
    std::set<NodeId> suspects_;
    Worry opening_, asking_, watching_;
    std::unique_ptr<engine::Engine> engine_;  // must go last
    std::unique_ptr<engine::Watch> watch_;
    std::unique_ptr<engine::Contest> contest_;
};

}  // namespace conclave::node
