// node/machine.h -- one running protocol of a node, whatever its type: a group's election, a
// mutual exclusion, or the detector that all groups share.
//
// A Host is an algorithm that can be placed on a node, found by name in catalog/hosts.h; a Machine
// is one that was. Behind both is node/host.h, a template: one generated file per algorithm.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "catalog/words.h"
#include "core/leaf_bytes.h"
#include "core/model.h"
#include "core/node_set.h"
#include "core/protocol.h"
#include "core/result.h"
#include "net/peer.h"
#include "service/lock_view.h"
#include "wire/recording.h"

namespace conclave::node {

using Verdict = std::variant<Suspected, Trusted, Failed, Restarted, Heard, Spoke, MembersChanged>;
using Wish = std::variant<Campaign, Resign, Appoint, Planned, Retire, Return, Depart, Enter, Leave,
                          quorum::Admit, quorum::Expel>;
using Told = std::variant<LeaderIs, Refused, Departed, StopProcessing, Defined, PlanWanted,
                          Suspected, Trusted, Failed, Restarted, BoundBroken, Slept, Entered,
                          Ousted, HolderDied, locks::Served, locks::Forfeited, quorum::Reformed>;

// A step of a machine or one of its effects, without its types: what a journal keeps.
struct Moment {
    enum class What : std::uint8_t {
        booted,
        received,
        expired,
        asked,
        verdict,
        reported,  // by an engine
        sent,
        told,
        saved
    };
    What what{};
    std::string_view name;  // of the message, timer, request, verdict or notice; a literal
    NodeSet peers;          // from whom, to whom, of whom
    std::string text;       // of a notice: its fields; of a report: all of it
    friend bool operator==(const Moment&, const Moment&) = default;
};

// What a machine needs of its node.
class Ground {
public:
    virtual ~Ground() = default;
    virtual Instant now() = 0;
    virtual Attribute attribute() = 0;
    virtual Duration draw(Wait wait) = 0;
    virtual void send(NodeId to, ByteView message, net::Hurry hurry) = 0;
    virtual void alarm(Instant due, std::uint32_t stamp) = 0;  // then Machine::fire(stamp)
    virtual void save(ByteView record) = 0;                    // then Machine::saved()
    virtual void told(const Told& notice) = 0;
    virtual void note(Moment moment) = 0;
    virtual void tell_guest(const locks::ForGuest& answer) = 0;
    // Whether each step is wanted, with the message's sender if it was one; what the machine cannot
    // know of it is filled in.
    virtual bool recording() const = 0;
    virtual void record(wire::RecordedStep step, std::optional<NodeId> from) = 0;
};

// Where and how a machine is placed.
struct Placement {
    NodeId self{};
    MemberList members;
    Incarnation incarnation{};
    Settings settings{};      // Tm, Tp, ...: everything else follows from them
    Attribute attribute = 0;  // what makes this node better, unless it changes while running
    bool preempt = false;
    bool application_plans = false;
    struct Detection {
        Duration period{}, margin{};
    };
    std::optional<Detection> detection;   // for a detector
    std::optional<Duration> session_max;  // for the lock service
};

struct Opinion {  // of a detector, about a peer
    Status status{};
    Duration timeout{};  // how long a silence is suffered at the moment
};

// From when until when a machine may act as the leader, on this node's clock.
struct Tenure {
    Epoch epoch{};
    Instant from{}, until{};
};

struct MessageCount {
    std::string_view type;
    std::uint64_t sent = 0, repair = 0, received = 0;
};

class Machine {
public:
    virtual ~Machine() = default;
    // Nothing happens before this. An error names what is wrong with the record.
    [[nodiscard]] virtual std::optional<Error> boot(const std::optional<Bytes>& record) = 0;
    virtual bool booted() const = 0;
    virtual void stop() {}  // lets go of what it has under way on the loop
    [[nodiscard]] virtual bool receive(NodeId from, ByteView message) = 0;  // false: malformed
    virtual bool awaits(std::uint32_t stamp) const = 0;  // else firing it would do nothing
    virtual void fire(std::uint32_t stamp) = 0;
    virtual void saved() = 0;
    virtual void hear(const Verdict& verdict) = 0;
    [[nodiscard]] virtual bool ask(const Wish& wish) = 0;  // false: it knows no such request
    // Among others than before: then it should hear of MembersChanged.
    virtual void seat(const MemberList& members) = 0;
    virtual void hear_guest(locks::FromGuest said) = 0;  // if it serves locks

    // Of the lock service's leader; nothing: it is none.
    virtual std::optional<locks::LockList> lock_list(Instant now, std::size_t room) const = 0;
    virtual std::optional<locks::LockCounts> lock_counts() const = 0;
    // How many held it, and have to go.
    virtual std::optional<std::uint64_t> dismiss(const locks::Name& lock) = 0;

    virtual std::optional<NodeId> leader(Instant now) const = 0;
    virtual bool has_lease() const = 0;  // its leader has; else nothing says until when it may act
    virtual std::optional<Tenure> tenure(Instant now) const = 0;  // if it leads and has a lease
    // Until when it may be in its critical section, if it is there; for ever, if it has no lease.
    virtual std::optional<Instant> inside(Instant now) const = 0;
    virtual std::optional<Opinion> opinion(NodeId peer) const = 0;
    // The members that it goes by, if those it is seated among are not they any more.
    virtual std::vector<Member> reformed() const = 0;
    virtual std::vector<MessageCount> counts() const = 0;
    virtual std::string show() const = 0;  // the whole state, for people
    // Why it cannot do its work at the moment; nothing: it can, as far as it knows.
    virtual std::optional<std::string> trouble() const { return std::nullopt; }
    virtual void portray(wire::RecordedMachine& into) const = 0;  // settings and state, as bytes
};

class Host {
public:
    virtual ~Host() = default;
    virtual const Claim& claim() const = 0;
    virtual const Model& assumes() const = 0;
    virtual bool takes(const Wish& wish) const = 0;
    // From a leader's crash until the next one is named, if the algorithm has such a bound;
    // `detection` is how long the detector takes.
    virtual std::optional<Duration> failover_bound(const Placement&, Duration detection) const = 0;
    virtual std::unique_ptr<Machine> place(const Placement& placement, Ground& ground) const = 0;
};

}  // namespace conclave::node
