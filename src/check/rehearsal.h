// check/rehearsal.h -- one step of one node, in the real world, on an otherwise empty stage.
//
// There is one `apply` for all walkers: what a node does here is what World makes it do.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "check/occurrence.h"
#include "check/resident.h"
#include "sim/stage.h"

namespace conclave {

// Who asked before whom is followed for the history's sake: one that keeps nothing has no use for
// it, and the world has fewer states without.
template <class P>
inline constexpr bool forgets_order = TakesTurns<Top<P>>&& std::is_empty_v<History<Top<P>>>;

// A history that no property looks at would only keep states apart that are one.
template <class P> consteval bool keeps_history() {
    using Story = History<Top<P>>;
    if constexpr (requires { Story::judged; }) {
        return Story::judged;
    } else {
        return !std::is_empty_v<Story>;
    }
}

// An agenda that only collects. Where a timer has a range, every tick in it is tried in turn, the
// least first.
template <class P> class Outbox {
public:
    explicit Outbox(Duration tick) : tick_(tick) {}

    std::vector<Packet<P>> sent{};
    bool closed = false;  // the node's request is in nobody's past any more
    Duration ahead{};     // of the clock, for a picture

    template <class W> void send(W&, Packet<P> packet) {
        packet.sent += ahead;
        if constexpr (forgets_order<P>) packet.past = {};
        sent.push_back(std::move(packet));
    }
    void armed(std::uint32_t, Instant, std::uint32_t) {}
    // The world looks through what is in flight when a request is granted or gone.
    template <class F> void each_packet(F visit) {
        closed = !forgets_order<P>;
        std::ranges::for_each(sent, visit);
    }
    Duration draw(Wait wait) {
        if (tick_ == Duration{}) return {};
        const std::int64_t least = ticks(wait.least), most = ticks(wait.most);
        if (drawn_ == draws_.size()) draws_.push_back({0, most - least});
        return tick_ * (least + draws_[drawn_++].pick);
    }

    void begin() {
        sent.clear();
        closed = false;
        drawn_ = 0;
    }
    // Moves on to the next way in which the draws can come out; false when there is none.
    bool vary() {
        while (!draws_.empty() && draws_.back().pick == draws_.back().most) draws_.pop_back();
        if (!draws_.empty()) ++draws_.back().pick;
        return !draws_.empty();
    }

private:
    struct Draw {
        std::int64_t pick, most;
    };
    std::int64_t ticks(Duration wait) const {
        return (wait.count() + tick_.count() - 1) / tick_.count();
    }

    Duration tick_;
    std::vector<Draw> draws_;
    std::size_t drawn_ = 0;
};

template <class P> struct Outcome {
    Resident<P> after{};
    std::vector<Packet<P>> sent{};
    History<Top<P>> past{};
    bool tells = false;  // something that the history may remember
    bool saves = false;
    bool closes = false;  // its request is in nobody's past any more
};

template <class P> class Rehearsal : private Watcher<P> {
public:
    using Story = History<Top<P>>;

    Rehearsal(const Setup<P>& setup, const Pace& pace, const Wishes& wishes)
        : pace_(pace),
          wishes_(wishes),
          bench_{setup},
          stage_(bench_, Outbox<P>(pace.tick), OracleSettings{.present = false}, 0) {
        bench_.watcher = this;
    }
    Rehearsal(const Rehearsal&) = delete;
    Rehearsal& operator=(const Rehearsal&) = delete;

    // Every way in which it can come out. `packet` is what arrives.
    std::vector<Outcome<P>> perform(const Resident<P>& before, Occurrence what,
                                    const Packet<P>* packet) {
        auto& agenda = stage_.world.agenda;
        std::vector<Outcome<P>> outcomes;
        do {
            agenda.begin();
            Outcome<P>& outcome = outcomes.emplace_back();
            outcome.after = before;
            play(outcome, what, packet);
            outcome.sent = agenda.sent;
        } while (agenda.vary());
        return outcomes;
    }
    // What the history becomes when that step has its `number`th outcome.
    Story recall(const Resident<P>& before, Occurrence what, const Packet<P>* packet,
                 std::uint32_t number, const Story& past) {
        past_ = &past;
        std::vector<Outcome<P>> outcomes = perform(before, what, packet);
        past_ = nullptr;
        return std::move(outcomes[number].past);
    }

private:
    void play(Outcome<P>& outcome, Occurrence what, const Packet<P>* packet) {
        auto& world = stage_.world;
        Resident<P>& resident = outcome.after;
        const std::uint32_t at = resident.place;
        const bool was_up = resident.node.up, was_paused = resident.node.paused;
        const auto lives = resident.node.restarted;
        tells_ = saves_ = false;
        world.history = past_ ? *past_ : Story{};
        world.nodes[at] = std::move(resident.node);
        world.nodes[at].tear = what.torn();
        if constexpr (TakesTurns<Top<P>>) world.order.places[at] = resident.turn;
        act(resident, what, packet);
        if constexpr (TakesTurns<Top<P>>) resident.turn = world.order.places[at];
        if constexpr (forgets_order<P>) resident.turn.past = resident.turn.before = {};
        bench_.ledger.news().clear();
        world.torn.reset();
        world.nodes[at].tear = false;
        resident.node = std::move(world.nodes[at]);
        for (const auto& life : resident.node.restarted) {  // it has spoken for itself
            const NodeId peer = world.id(life.first);
            if (!lives.contains(life) && resident.suspects.contains(peer)) {
                resident.outlived.insert(peer);
            }
        }
        if (resident.node.up != was_up || resident.node.paused != was_paused) resident.since = 0;
        settle(resident, pace_);
        outcome.past = std::move(world.history);
        outcome.tells = tells_;
        outcome.saves = saves_;
        outcome.closes = world.agenda.closed;
    }
    void act(Resident<P>& resident, Occurrence what, const Packet<P>* packet) {
        auto& world = stage_.world;
        const std::uint32_t at = resident.place;
        if (what.is_arrival()) return world.arrive(*packet);
        if (what.what() == Happening::expire) {
            world.fire(at, world.nodes[at].timers[what.argument()].stamp);
            return;
        }
        listen(resident, what);
        if (what.what() == Happening::restarted) {
            world.nodes[what.peer()].incarnation = what.life();
        }
        stage_.play(fault_of(what, at, world.setup().members, wishes_));
    }
    // What the oracle has said is the explorer's to know, because it is the explorer that says it.
    void listen(Resident<P>& resident, Occurrence what) {
        const auto peer = [&] { return stage_.world.id(what.peer()); };
        const Happening happening = what.what();
        if (happening == Happening::fail || happening == Happening::suspect) {
            resident.suspects.insert(peer());
            resident.outlived.erase(peer());
        } else if (happening == Happening::trust) {
            resident.suspects.erase(peer());
            resident.outlived.erase(peer());
        } else if (happening == Happening::begin) {
            --resident.calls;
        }
    }
    void stepped(Instant, std::uint32_t, const Node<P>&, const Event<P>&,
                 const std::vector<Effect<P>>& effects) override {
        for (const Effect<P>& effect : effects) {
            tells_ = tells_ || (keeps_history<P>() && std::holds_alternative<Tell<P>>(effect));
            saves_ = saves_ || std::holds_alternative<Save<P>>(effect);
        }
    }

    const Pace& pace_;
    const Wishes& wishes_;
    Bench<P> bench_;
    Stage<P, Outbox<P>> stage_;
    const Story* past_ = nullptr;
    bool tells_ = false, saves_ = false;
};

}  // namespace conclave
