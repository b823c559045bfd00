// sim/world.h -- a group of nodes, their network and their clocks, as one value.
//
// Everything that can happen is a method: a packet arrives, a timer fires, a node crashes. The
// walkers differ only in who picks what happens next, and in the Agenda that keeps what is pending.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/members.h"
#include "core/property.h"
#include "core/protocol.h"
#include "core/section.h"
#include "core/small.h"
#include "core/stack.h"
#include "core/value.h"
#include "sim/adversary.h"
#include "sim/ledger.h"
#include "sim/node.h"
#include "sim/order.h"
#include "sim/unit.h"

namespace conclave {

template <class P> struct Setup {
    MemberList members;
    typename P::Config config{};
    // The envelope's fix: a restart is noticed, an old life's mail dropped.
    bool incarnations = true;
};

// Messages by type: the algorithm's own, what our fixes add, the detector's.
template <class P> struct Counts {
    static constexpr std::size_t types = std::variant_size_v<typename P::Message>;
    static constexpr auto kinds = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array{
            kind_of_message<P, std::variant_alternative_t<I, typename P::Message>>()...};
    }
    (std::make_index_sequence<types>());
    std::array<std::uint64_t, types> sent{}, repair{};
};

enum class Loss : std::uint8_t { network, cut, down, stale };

// Sees everything; changes nothing. First what is about to happen, then each step it causes.
template <class P> class Watcher {
public:
    virtual ~Watcher() = default;
    virtual void playing(Instant, const Fault&) {}
    virtual void arriving(Instant, const Packet<P>&) {}
    virtual void firing(Instant, std::uint32_t /*node*/, const typename P::Timer&) {}
    // The node as it is between the step and obeying its effects.
    virtual void stepped(Instant, std::uint32_t /*node*/, const Node<P>&, const Event<P>&,
                         const std::vector<Effect<P>>&) {}
    virtual void torn(Instant, std::uint32_t /*node*/) {}  // it crashed at the step's Save
    virtual void lost(Instant, const Packet<P>&, Loss) {}
    virtual void duplicated(Instant, const Packet<P>&) {}
    virtual void violated(Instant, std::string_view /*property*/, const std::string& /*what*/) {}
};

// What a walker brings along and no world is made of.
template <class P> struct Bench {
    const Setup<P>& setup;
    Effects<P> effects{};
    Counts<P> counts{};
    Watcher<P>* watcher = nullptr;
    Instant last_arrival{};                 // of a message of the algorithm's own
    std::optional<Instant> first_office{};  // when somebody took office
    std::uint64_t offices = 0;              // how often anybody did
    Ledger ledger{};
};

template <class P, class A> class World {
public:
    World(Bench<P>& bench, A the_agenda) : agenda(std::move(the_agenda)), bench_(&bench) {
        nodes.resize(bench.setup.members.size());
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            nodes[at].attribute = bench.setup.members[at].priority;
        }
        if constexpr (TakesTurns<Top<P>>) {
            order.places.resize(nodes.size());
            bench.ledger.open(nodes.size());
        }
    }

    Instant now{};
    std::vector<Node<P>> nodes;
    Cuts cuts;
    A agenda;
    History<Top<P>> history{};
    [[no_unique_address]] IfTakesTurns<P, Order> order{};
    std::optional<std::uint32_t> torn;  // who crashed in the middle of the last step

    NodeId id(std::size_t at) const { return bench_->setup.members[at].node; }
    std::uint32_t place(NodeId node) const {
        return static_cast<std::uint32_t>(bench_->setup.members.index_of(node));
    }
    const Setup<P>& setup() const { return bench_->setup; }
    Bench<P>& bench() { return *bench_; }

    void boot(std::uint32_t at) {
        Node<P>& node = nodes[at];
        if (node.up) return;
        node.up = true;
        node.paused = false;
        node.state = P{};
        node.incarnation = node.incarnation.next();
        if constexpr (TakesTurns<Top<P>>) bench_->ledger.booted(now, at);
        step_node(at, Event<P>(Booted<P>{node.durable}));
    }
    void crash(std::uint32_t at) {
        Node<P>& node = nodes[at];
        node.up = false;
        node.paused = false;
        node.tear = false;
        node.state = P{};
        node.timers.clear();
        node.restarted.clear();
        node.held.clear();
        if constexpr (TakesTurns<Top<P>>) {
            bench_->ledger.crashed(now, at);
            close_request(at);
            order.places[at] = {};
        }
    }
    void forget(std::uint32_t at) { nodes[at].durable = {}; }  // the disk was lost, too
    void pause(std::uint32_t at) { nodes[at].paused = nodes[at].up; }
    void resume(std::uint32_t at) {
        Node<P>& node = nodes[at];
        if (!node.paused) return;
        node.paused = false;
        for (auto& one : std::exchange(node.held, {})) {
            if (!nodes[at].up) return;  // a save was torn
            if (auto* packet = std::get_if<Packet<P>>(&one)) {
                receive(*packet);
            } else {
                step_node(at, std::get<Event<P>>(one));
            }
        }
        for (const Armed<P>& armed : nodes[at].timers) agenda.armed(at, armed.due, armed.stamp);
    }

    void arrive(Packet<P> packet) {
        Node<P>& node = nodes[packet.to];
        if (bench_->watcher) bench_->watcher->arriving(now, packet);
        if (!node.up) return drop(packet, Loss::down);
        if (cuts.contains(id(packet.from), id(packet.to))) return drop(packet, Loss::cut);
        if (node.paused) return node.held.push_back(std::move(packet));
        receive(packet);
    }
    void drop(const Packet<P>& packet, Loss why) {
        if (bench_->watcher) bench_->watcher->lost(now, packet, why);
    }
    void announce_duplicate(const Packet<P>& packet) {
        if (bench_->watcher) bench_->watcher->duplicated(now, packet);
    }
    // Fires if that arming is still in force and the node can act.
    bool fire(std::uint32_t at, std::uint32_t stamp) {
        Node<P>& node = nodes[at];
        if (!node.up || node.paused) return false;
        for (auto armed = node.timers.begin(); armed != node.timers.end(); ++armed) {
            if (armed->stamp != stamp) continue;
            const typename P::Timer timer = armed->timer;
            node.timers.erase(armed);
            if (bench_->watcher) bench_->watcher->firing(now, at, timer);
            step_node(at, Expired<P>{timer});
            return true;
        }
        return false;
    }
    // An event of the driver's own, or a request: Asked, Suspected, Trusted, ...
    void happen(std::uint32_t at, const Event<P>& event) {
        if (!nodes[at].up) return;
        if (nodes[at].paused) return nodes[at].held.push_back(event);
        step_node(at, event);
    }
    // A word between two applications, past the algorithm. One that orders requests by clocks of
    // its own can carry them along.
    void whisper(std::uint32_t from, std::uint32_t to) {
        if constexpr (TakesTurns<Top<P>>) {
            if (!nodes[from].up || nodes[from].paused || !nodes[to].up || nodes[to].paused) return;
            order.learn(to, order.places[from].past);
            if constexpr (requires { typename Top<P>::Observe; }) {
                happen(to, Asked<P>{typename Top<P>::Observe{top(nodes[from].state).stamp()}});
            }
        }
    }
    // Which life of a peer this node knows of: the first, until it has heard of another.
    Incarnation known_life(std::uint32_t at, std::uint32_t peer) const {
        for (const auto& [other, life] : nodes[at].restarted) {
            if (other == peer) return life;
        }
        return Incarnation{1};
    }
    void learn_life(std::uint32_t at, std::uint32_t peer, Incarnation life) {
        for (auto& [other, known] : nodes[at].restarted) {
            if (other == peer) return static_cast<void>(known = life);
        }
        nodes[at].restarted.push_back({peer, life});
    }

    static bool own_message(const Packet<P>& packet) {
        return !packet.repair && Counts<P>::kinds[packet.message.index()] != Kind::detector;
    }

    // The properties' look at it all.
    template <class F> auto judge(F with_view) const {
        const auto standing = standings();
        return with_view(View<Top<P>>{{standing.data(), standing.size()},
                                      setup().members,
                                      top_config(setup().config),
                                      cuts,
                                      history,
                                      now});
    }

private:
    Small<Standing<Top<P>>, 16> standings() const {
        Small<Standing<Top<P>>, 16> standing;
        standing.reserve(nodes.size());
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            const Node<P>& node = nodes[at];
            standing.push_back(
                {id(at), &top(node.state), node.up, node.attribute, node.clock.read(now)});
        }
        return standing;
    }
    bool of_current_life(const Packet<P>& packet) {
        const Incarnation known = known_life(packet.to, packet.from);
        if (packet.incarnation <= known) return packet.incarnation == known;
        learn_life(packet.to, packet.from, packet.incarnation);
        step_node(packet.to, Event<P>(Restarted{id(packet.from)}));
        return true;
    }

    void receive(Packet<P>& packet) {
        if (bench_->setup.incarnations && !of_current_life(packet)) {
            return drop(packet, Loss::stale);
        }
        if (!nodes[packet.to].up) return;  // hearing of the restart tore its Save
        if (own_message(packet)) bench_->last_arrival = now;
        // A detector's messages tell nobody what is asked for.
        if constexpr (TakesTurns<Top<P>>) {
            if (Counts<P>::kinds[packet.message.index()] != Kind::detector) {
                order.learn(packet.to, packet.past);
            }
        }
        step_node(packet.to, Received<P>{id(packet.from), std::move(packet.message)});
    }

    // Messages and timers as they are; everything else, which is seldom, as an Event<P>: each type
    // of event costs seconds to compile.
    template <class E> void step_node(std::uint32_t at, const E& event) {
        Node<P>& node = nodes[at];
        Effects<P>& effects = bench_->effects;
        effects.list.clear();
        const Seat<P> seat{id(at), bench_->setup.members, bench_->setup.config, node.attribute,
                           node.incarnation};
        step(node.state, seat, node.clock.read(now), event, effects);
        if (bench_->watcher) bench_->watcher->stepped(now, at, node, Event<P>(event), effects.list);
        if constexpr (TakesTurns<Top<P>>) follow_request(at);
        obey_all(at);
    }
    void obey_all(std::uint32_t at) {
        for (Effect<P>& effect : bench_->effects.list) {
            if (nodes[at].tear && std::holds_alternative<Save<P>>(effect)) {
                crash(at);
                torn = at;
                if (bench_->watcher) bench_->watcher->torn(now, at);
                return;
            }
            std::visit([&](auto& one) { obey(at, one); }, effect);
        }
        if constexpr (TakesTurns<Top<P>>) follow_section(at);
    }
    // Before the step's messages leave: they carry the request in their past.
    void follow_request(std::uint32_t at) {
        const Section was = order.places[at].section, is = section_of(at);
        if (was != is && was != Section::waiting && is != Section::outside) order.ask(at);
    }
    Section section_of(std::uint32_t at) const {
        return top(nodes[at].state).section(nodes[at].clock.read(now));
    }
    // Who asks, enters and leaves shows in where it stands after a step.
    void follow_section(std::uint32_t at) {
        const Section is = section_of(at);
        const Section was = std::exchange(order.places[at].section, is);
        if (was == is) return;
        if (was != Section::outside && is != Section::inside) bench_->ledger.left(now, at);
        if (is == Section::outside) return close_request(at);
        if (was != Section::waiting) bench_->ledger.asked(now, at);
        if (is == Section::waiting) return;
        if (const auto passed = order.passed_by(at)) {
            bench_->ledger.overtook();
            history.overtook(id(at), id(*passed));
        }
        close_request(at);
        bench_->ledger.entered(now, at);
    }
    // What is granted or gone is in nobody's past any more.
    void close_request(std::uint32_t at) {
        order.close(at);
        const auto drop = [&](Packet<P>& packet) { packet.past.drop(order.bit(at)); };
        agenda.each_packet(drop);
        for (Node<P>& node : nodes) {
            for (auto& one : node.held) {
                if (auto* packet = std::get_if<Packet<P>>(&one)) drop(*packet);
            }
        }
    }
    void obey(std::uint32_t at, Send<P>& send) {
        const auto type = send.message.index();
        ++(send.repair ? bench_->counts.repair : bench_->counts.sent)[type];
        Packet<P> packet{std::move(send.message), now,        now, nodes[at].incarnation, at,
                         place(send.to),          send.repair};
        if constexpr (TakesTurns<Top<P>>) packet.past = order.places[at].past;
        if (cuts.contains(id(at), send.to)) return drop(packet, Loss::cut);
        agenda.send(*this, std::move(packet));
    }
    void obey(std::uint32_t at, Arm<P>& arm) {
        Node<P>& node = nodes[at];
        const Instant due = now + node.clock.true_length(agenda.draw(arm.wait));
        const std::uint32_t stamp = ++node.stamps;
        agenda.armed(at, due, stamp);
        for (Armed<P>& armed : node.timers) {
            if (!equal(armed.timer, arm.timer)) continue;
            armed.due = due;
            armed.stamp = stamp;
            return;
        }
        node.timers.push_back({std::move(arm.timer), due, stamp});
    }
    void obey(std::uint32_t at, Disarm<P>& disarm) {
        auto& timers = nodes[at].timers;
        for (auto armed = timers.begin(); armed != timers.end(); ++armed) {
            if (equal(armed->timer, disarm.timer)) return static_cast<void>(timers.erase(armed));
        }
    }
    void obey(std::uint32_t at, Save<P>& save) { nodes[at].durable = std::move(save.durable); }
    void obey(std::uint32_t at, Tell<P>& tell) {
        if constexpr (holds<typename P::Notice, LeaderIs>) {
            const auto* told = std::get_if<LeaderIs>(&tell.notice);
            if (told && told->leader == id(at)) note_office();
        }
        std::visit(
            [&](const auto& notice) {
                if constexpr (requires { history.observe(id(at), notice); }) {
                    history.observe(id(at), notice);
                } else if constexpr (requires { history.observe(now, id(at), notice); }) {
                    history.observe(now, id(at), notice);
                }
            },
            tell.notice);
    }

    void note_office() {
        if (bench_->offices++ == 0) bench_->first_office = now;
    }

    Bench<P>* bench_;
};

}  // namespace conclave
