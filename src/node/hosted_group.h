// node/hosted_group.h -- one group on this node: its machine, who leads it, and why.
#pragma once
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "node/journal.h"
#include "node/machine.h"

namespace conclave::node {

// Who leads, as this node knows it. The index grows with every change, for those who wait for one.
struct Leadership {
    std::optional<NodeId> leader;
    Epoch epoch{};
    std::uint64_t index = 1;
    Instant since{};
};

struct Change {
    std::string group;
    Leadership now;
    std::int64_t wall_ns = 0;     // for people; nothing is decided by it
    Duration without{};           // how long nobody had led before
    std::optional<Tenure> ended;  // this node's own, if it led until now and had a lease
    Cause cause;
};

// What a group needs of its node.
class Estate {
public:
    virtual ~Estate() = default;
    virtual Instant moment() = 0;  // the time of what happens now to a machine
    virtual Duration draw(Wait wait) = 0;
    virtual void send(std::uint32_t machine, NodeId to, ByteView message, net::Hurry hurry) = 0;
    virtual void alarm(std::uint32_t machine, Instant due, std::uint32_t stamp) = 0;
    virtual void save(std::uint32_t machine, ByteView record) = 0;
    virtual void changed(const Change& change) = 0;
    virtual void told(std::uint32_t machine, const Told& notice) = 0;
    virtual bool recording() const = 0;
    virtual void record(wire::RecordedStep step, std::optional<NodeId> from) = 0;
};

class HostedGroup final : public Ground {
public:
    HostedGroup(std::string name, std::string algorithm, std::uint32_t number, const Host& host,
                const Placement& placement, Estate& estate);
    using Make = std::function<std::unique_ptr<Machine>(Ground& ground)>;
    HostedGroup(std::string name, std::string algorithm, std::uint32_t number, const Make& make,
                const Placement& placement, Estate& estate);

    const std::string& name() const { return name_; }
    const std::string& algorithm() const { return algorithm_; }
    // Those who may have a say in it: whose letters and lives it hears of.
    const MemberList& members() const { return members_; }
    // Those who have: the same, unless the members have changed while it ran.
    std::vector<Member> electorate() const;
    bool may_lead(NodeId node) const;
    NodeId self() const { return self_; }
    Machine& machine() { return *machine_; }
    const Machine& machine() const { return *machine_; }
    const Leadership& leadership() const { return leadership_; }
    // A function of now: a node that was paused must not name whom it named before.
    std::optional<NodeId> leader() { return machine_->leader(now()); }
    bool leads() { return leader() == self_; }

    void set_attribute(Attribute attribute) { attribute_ = attribute; }
    Attribute own_attribute() const { return attribute_; }
    // Somebody with a priority of its own, which counts instead; none: nobody has one.
    void stand_for(std::optional<Attribute> priority) { priority_ = priority; }
    // Why it cannot be done, as far as the machine knows at once; an error if it never can.
    struct Answer {
        bool understood = true;
        std::optional<Refused> refused;
    };
    Answer ask(const Wish& wish);
    void seat(MemberList members);  // see Machine::seat
    // Whether its members can change while it runs.
    bool can_reform() const { return can_reform_; }
    // For the leader: a change of the members. Answered when it stays or when it cannot be done,
    // which may be never. A wish that waits for somebody gives way to the next: stale_epoch.
    using Reform = std::variant<quorum::Admit, quorum::Expel>;
    using Answered = std::function<void(const Answer&)>;
    void reform(const Reform& wish, Answered then);
    const std::optional<Definition>& definition() const { return definition_; }
    bool departed() const { return departed_; }

    wire::RecordedMachine portrait() const;  // as a recording begins with it

    // The clients of the lock service, if this is its group.
    using GuestEar = std::function<void(const locks::ForGuest& answer)>;
    void set_guest_ear(GuestEar ear) { guest_ear_ = std::move(ear); }
    void hear_guest(locks::FromGuest said);

    // Called once, at the next change; not at all if the returned handle is dropped first.
    using Watch = std::shared_ptr<std::function<void()>>;
    [[nodiscard]] Watch when_changed(std::function<void()> then);

    // As the machine's ground.
    Instant now() override { return estate_.moment(); }
    Attribute attribute() override { return priority_.value_or(attribute_); }
    Duration draw(Wait wait) override { return estate_.draw(wait); }
    void send(NodeId to, ByteView message, net::Hurry hurry) override {
        estate_.send(number_, to, message, hurry);
    }
    void alarm(Instant due, std::uint32_t stamp) override { estate_.alarm(number_, due, stamp); }
    void save(ByteView record) override { estate_.save(number_, record); }
    void told(const Told& notice) override;
    void note(Moment moment) override;
    void tell_guest(const locks::ForGuest& answer) override {
        if (guest_ear_) guest_ear_(answer);
    }
    bool recording() const override { return estate_.recording(); }
    void record(wire::RecordedStep step, std::optional<NodeId> from) override;

private:
    void name_leader(const LeaderIs& told);
    void take(const Refused& refused);
    void settle_reform(const Answer& answer);
    void follow_tenure(Instant now);

    const std::string name_, algorithm_;
    const std::uint32_t number_;  // among the machines of this node
    const NodeId self_;
    bool can_reform_ = false;
    MemberList members_;
    Estate& estate_;
    Attribute attribute_;
    std::optional<Attribute> priority_;
    Journal journal_;
    Leadership leadership_;
    std::optional<Tenure> tenure_;  // this node's last, until it is told
    std::optional<Refused> refused_;
    bool asking_ = false;  // somebody waits for what the machine says at once
    Answered reforming_;   // none: nobody waits for a change of the members
    std::optional<Definition> definition_;
    bool departed_ = false;
    GuestEar guest_ear_;
    std::vector<std::weak_ptr<std::function<void()>>> watches_;
    std::unique_ptr<Machine> machine_;
};

}  // namespace conclave::node
