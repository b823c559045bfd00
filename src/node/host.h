// node/host.h -- an algorithm behind the node's door. Included by one generated file each.
#pragma once
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/names.h"
#include "core/property.h"
#include "core/section.h"
#include "core/stack.h"
#include "core/value.h"
#include "net/driver.h"
#include "node/machine.h"
#include "service/lock_view.h"
#include "wire/messages.h"

namespace conclave::node {

template <class C> void tune(C& config, const Placement& placement) {
    if constexpr (requires { config.lower; }) {
        tune(config.lower, placement);
        tune(config.upper, placement);
    }
    if constexpr (std::is_same_v<C, locks::Config>) {
        config.session = config.longest = placement.session_max.value_or(config.longest);
        config.keep_alive = config.session / 4;
        config.granularity = locks::Config{}.granularity;
        config.closed = false;  // whoever comes may be a client
    }
    if constexpr (requires { config.preempt; }) {
        using Preempt = decltype(config.preempt);
        config.preempt = placement.preempt ? Preempt::graceful : Preempt::never;
    }
    if constexpr (requires { config.park = true; }) {
        config.park = true;  // an idle token would keep everybody awake
    }
    if constexpr (requires { config.plan = PlanBy::application; }) {
        config.plan = placement.application_plans ? PlanBy::application : PlanBy::own;
    }
    if constexpr (requires { config.renew; }) {
        config.sparing = true;  // half the messages, and half the wake-ups of those who follow
    }
    if constexpr (requires { config.margin = Duration{}; }) {
        if (placement.detection) {
            config.period = placement.detection->period;
            config.margin = placement.detection->margin;
            if constexpr (requires { config.sparing; }) config.sparing = true;
        }
    }
}
template <class P> typename P::Config tuned(const Placement& placement) {
    typename P::Config config = P::configure(placement.settings);
    tune(config, placement);
    return config;
}

// Of a stack the part that elects.
template <class P> const auto& elector(const P& state) {
    if constexpr (requires { state.lower; } && !Elects<P>) {
        return elector(state.lower);
    } else {
        return state;
    }
}

// Whether T is a message, timer, request or notice of P's that says something about who leads: not
// what locks are taken, thousands of times a second, nor each heartbeat.
template <class P, class T> constexpr bool concerns_leadership() {
    if constexpr (requires { typename P::Lower; }) {
        using L = typename P::Lower;
        constexpr bool below = holds<typename L::Message, T> || holds<typename L::Timer, T> ||
                               holds<typename L::Request, T> || holds<typename L::Notice, T>;
        return below && concerns_leadership<L, T>();
    } else {
        return P::claim.kind == Kind::election;
    }
}

// From a crash until all is well again, if the algorithm says so. What stands on an election is
// mended once that has a leader.
template <class P>
std::optional<Duration> bound_of(const typename P::Config& config, std::size_t nodes,
                                 Duration detection) {
    if constexpr (requires { P::failover_bound(config, nodes); }) {
        return P::failover_bound(config, nodes);
    } else if constexpr (requires { P::settles_within(config, nodes); }) {
        return detection + P::settles_within(config, nodes);
    } else if constexpr (requires { P::Upper::settles_within(config.upper, nodes); }) {
        const auto led = bound_of<typename P::Lower>(config.lower, nodes, detection);
        if (led) return *led + P::Upper::settles_within(config.upper, nodes);
    }
    return std::nullopt;
}

// By itself, not below: what stands on an election leads for itself.
template <class P>
concept Leased = requires(const P& state, Instant now) {
    state.office->until - now;
};

// What a step was and did, in the journal's words.
template <class P> class Scribe {
public:
    explicit Scribe(Ground& ground) : ground_(ground) {}

    void write(const Event<P>& event, const std::vector<Effect<P>>& effects) {
        std::visit([this](const auto& one) { this->read(one); }, event);
        for (const Effect<P>& effect : effects) {
            std::visit([this](const auto& one) { this->obeyed(one); }, effect);
        }
        flush();
    }

private:
    // Empty if it is not worth a line.
    template <class... T> static std::string_view name(const std::variant<T...>& one) {
        static constexpr std::array names{concerns_leadership<P, T>() ? name_of<T>()
                                                                      : std::string_view()...};
        return names[one.index()];
    }
    void note(Moment moment) {
        if (!moment.name.empty()) ground_.note(std::move(moment));
    }
    static NodeSet just(NodeId node) {
        NodeSet set;
        set.insert(node);
        return set;
    }
    void read(const Booted<P>&) { ground_.note({Moment::What::booted, "Booted", {}, {}}); }
    void read(const Received<P>& one) {
        note({Moment::What::received, name(one.message), just(one.from), {}});
    }
    void read(const Expired<P>& one) { note({Moment::What::expired, name(one.timer), {}, {}}); }
    void read(const Asked<P>& one) { note({Moment::What::asked, name(one.request), {}, {}}); }
    template <class E> void read(const E& one) {
        constexpr bool small_talk = std::is_same_v<E, Heard> || std::is_same_v<E, Spoke>;
        if constexpr (requires { one.node; } && !small_talk) {
            ground_.note({Moment::What::verdict, name_of<E>(), just(one.node), {}});
        }
    }

    // A broadcast is one moment, not one per receiver.
    void obeyed(const Send<P>& send) {
        const std::string_view type = name(send.message);
        if (type.empty()) return;
        if (sending_.name != type) flush();
        sending_.name = type;
        sending_.peers.insert(send.to);
    }
    void obeyed(const Save<P>&) {
        flush();
        ground_.note({Moment::What::saved, "Save", {}, {}});
    }
    void obeyed(const Tell<P>& tell) {
        const std::string_view type = name(tell.notice);
        if (type.empty()) return;
        flush();
        ground_.note({Moment::What::told, type, {}, to_text(tell.notice)});
    }
    void obeyed(const Arm<P>&) {}
    void obeyed(const Disarm<P>&) {}
    void flush() {
        if (sending_.peers.empty()) return;
        sending_.what = Moment::What::sent;
        ground_.note(std::exchange(sending_, {}));
    }

    Ground& ground_;
    Moment sending_;
};

// A step as bytes, in buffers that are used again.
template <class P> class Stenographer {
public:
    void write(Ground& ground, Instant at, const Event<P>& event,
               const std::vector<Effect<P>>& effects) {
        event_.clear();
        effects_.clear();
        encode<wire::Growing>(event_, event);
        encode<wire::Growing>(effects_, effects);
        const auto* letter = std::get_if<Received<P>>(&event);
        wire::RecordedStep step;
        step.at = at;
        step.event = event_;
        step.effects = effects_;
        ground.record(step, letter ? std::optional(letter->from) : std::nullopt);
    }

private:
    Bytes event_, effects_;
};

template <Protocol P> class MachineOf final : public Machine {
public:
    MachineOf(const Placement& placement, Ground& ground)
        : members_(placement.members),
          config_(tuned<P>(placement)),
          ground_{ground, Scribe<P>(ground), {}},
          driver_(placement.self, members_, config_, placement.incarnation, ground_) {}

    std::optional<Error> boot(const std::optional<Bytes>& record) override {
        Booted<P> booted{};
        if (record && !wire::read_record<P>(*record, booted.durable)) {
            return Error{"its durable record is not one of this algorithm's"};
        }
        driver_.happen(std::move(booted));
        return std::nullopt;
    }
    bool booted() const override { return ground_.booted; }
    bool receive(NodeId from, ByteView message) override { return driver_.receive(from, message); }
    bool awaits(std::uint32_t stamp) const override { return driver_.awaits(stamp); }
    void fire(std::uint32_t stamp) override { driver_.fire(stamp); }
    void saved() override { driver_.saved(); }
    void hear(const Verdict& verdict) override {
        std::visit([this](const auto& one) { driver_.happen(Event<P>(one)); }, verdict);
    }
    bool ask(const Wish& wish) override {
        return std::visit(
            [this]<class W>(const W& one) {
                if constexpr (holds<typename P::Request, W>) {
                    driver_.happen(Asked<P>{one});
                    return true;
                } else {
                    return false;
                }
            },
            wish);
    }

    void seat(const MemberList& members) override { members_ = members; }

    void hear_guest(locks::FromGuest said) override {
        if constexpr (holds<typename P::Request, locks::FromGuest>) {
            driver_.happen(Asked<P>{std::move(said)});
        }
    }

    std::optional<locks::LockList> lock_list(Instant now, std::size_t room) const override {
        const locks::Office* office = lock_office();
        return office ? std::optional(locks::list(*office, now, room)) : std::nullopt;
    }
    std::optional<locks::LockCounts> lock_counts() const override {
        const locks::Office* office = lock_office();
        return office ? std::optional(locks::count(*office)) : std::nullopt;
    }
    std::optional<std::uint64_t> dismiss(const locks::Name& name) override {
        const locks::Office* office = lock_office();
        if (!office) return std::nullopt;
        const auto* lock = office->locks.find(name);
        const std::uint64_t holders = lock ? lock->holders.size() : 0;
        if constexpr (holds<typename P::Request, locks::Dismiss>)
            driver_.happen(Asked<P>{locks::Dismiss{name}});
        return holders;
    }

    std::optional<NodeId> leader(Instant now) const override {
        const auto& state = elector(driver_.state());
        if constexpr (requires { state.elected(now); }) {
            return state.elected(now);
        } else {
            return std::nullopt;
        }
    }
    bool has_lease() const override { return Leased<P>; }
    std::optional<Tenure> tenure(Instant now) const override {
        const auto& state = elector(driver_.state());
        if constexpr (requires { state.office->until - now; }) {
            const auto& office = state.office;
            if (office && now < office->until)
                return Tenure{office->epoch, office->since, office->until};
        }
        return std::nullopt;
    }
    std::optional<Instant> inside(Instant now) const override {
        if constexpr (TakesTurns<Top<P>>) {
            const Top<P>& state = top(driver_.state());
            if (state.section(now) != Section::inside) return std::nullopt;
            if constexpr (requires { state.lease.until.value(); }) {
                return state.lease.until;
            } else {
                return Instant::max();
            }
        } else {
            return std::nullopt;
        }
    }
    std::optional<Opinion> opinion(NodeId peer) const override {
        const P& state = driver_.state();
        if constexpr (requires { state.peers.find(peer)->status; }) {
            const auto* known = state.peers.find(peer);
            if (!known) return std::nullopt;
            Opinion opinion{known->status, {}};
            if constexpr (requires { state.patience(peer); })
                opinion.timeout = state.patience(peer);
            return opinion;
        } else {
            return std::nullopt;
        }
    }
    std::vector<Member> reformed() const override {
        const auto& state = elector(driver_.state());
        if constexpr (requires { state.voter.record.members.begin(); }) {
            const auto& list = state.voter.record.members;
            return {list.begin(), list.end()};
        } else {
            return {};
        }
    }
    std::vector<MessageCount> counts() const override {
        return count(static_cast<typename P::Message*>(nullptr));
    }
    std::string show() const override { return to_text(driver_.state()); }
    void portray(wire::RecordedMachine& into) const override {
        encode<wire::Growing>(into.config, config_);
        if (ground_.booted) encode<wire::Growing>(into.state.emplace(), driver_.state());
    }

private:
    struct Feet {  // the driver's ground, with notices that every node understands
        Ground& ground;
        Scribe<P> scribe;
        Stenographer<P> stenographer;
        bool booted = false;

        Instant now() { return ground.now(); }
        Attribute attribute() { return ground.attribute(); }
        Duration draw(Wait wait) { return ground.draw(wait); }
        void send(NodeId to, ByteView message, net::Hurry hurry) {
            ground.send(to, message, hurry);
        }
        void alarm(Instant due, std::uint32_t stamp) { ground.alarm(due, stamp); }
        void save(ByteView record) { ground.save(record); }
        void stepped(Instant at, const Event<P>& event, const std::vector<Effect<P>>& effects) {
            booted = true;
            scribe.write(event, effects);
            if (ground.recording()) stenographer.write(ground, at, event, effects);
        }
        template <class N> void told(const N& notice) {
            if constexpr (holds<Told, N>) ground.told(notice);
            if constexpr (std::is_same_v<N, locks::ForGuest>) ground.tell_guest(notice);
        }
    };
    const locks::Office* lock_office() const {
        if constexpr (requires { std::optional<locks::Office>(top(driver_.state()).office); }) {
            const std::optional<locks::Office>& office = top(driver_.state()).office;
            return office ? &*office : nullptr;
        } else {
            return nullptr;
        }
    }
    template <class... M> std::vector<MessageCount> count(std::variant<M...>*) const {
        const auto& tally = driver_.tally();
        std::vector<MessageCount> all{{name_of<M>(), 0, 0, 0}...};
        for (std::size_t type = 0; type < all.size(); ++type) {
            all[type].sent = tally.sent[type];
            all[type].repair = tally.repair[type];
            all[type].received = tally.received[type];
        }
        return all;
    }

    MemberList members_;
    const typename P::Config config_;
    Feet ground_;
    net::Driver<P, Feet> driver_;
};

template <Protocol P> class HostOf final : public Host {
public:
    const Claim& claim() const override { return P::claim; }
    const Model& assumes() const override { return P::assumes; }
    bool takes(const Wish& wish) const override {
        return std::visit([]<class W>(const W&) { return holds<typename P::Request, W>; }, wish);
    }
    std::optional<Duration> failover_bound(const Placement& placement,
                                           Duration detection) const override {
        return bound_of<P>(tuned<P>(placement), placement.members.size(), detection);
    }
    std::unique_ptr<Machine> place(const Placement& placement, Ground& ground) const override {
        return std::make_unique<MachineOf<P>>(placement, ground);
    }
};

template <Protocol P> std::unique_ptr<Host> make_host() { return std::make_unique<HostOf<P>>(); }

}  // namespace conclave::node
