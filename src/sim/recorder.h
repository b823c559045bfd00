// sim/recorder.h -- writes down a run: as a script that replays it, and as a space-time diagram.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/chronicle.h"
#include "sim/narrate.h"
#include "sim/show.h"
#include "sim/simulator.h"
#include "sim/world.h"

namespace conclave {

template <class P> class Recorder final : public Watcher<P> {
public:
    Recorder(const Plan& plan, const Setup<P>& setup, std::string_view name)
        : setup_(setup), chronicle_(plan, name) {}

    void playing(Instant now, const Fault& fault) override { chronicle_.fault(now, fault); }
    void arriving(Instant now, const Packet<P>& packet) override {
        chronicle_.arrival(now, letter(packet));
    }
    void firing(Instant now, std::uint32_t node, const typename P::Timer& timer) override {
        chronicle_.timer(now, node, to_text(timer));
    }
    void stepped(Instant now, std::uint32_t node, const Node<P>& stood, const Event<P>& event,
                 const std::vector<Effect<P>>& effects) override {
        if (std::holds_alternative<Booted<P>>(event)) chronicle_.boot(now, node);
        chronicle_.output(narrate<P>(id(node), stood, event, effects));
        if constexpr (TakesTurns<Top<P>>) {
            const Section is = top(stood.state).section(stood.clock.read(now));
            chronicle_.section(now, node, is == Section::inside);
        }
        for (const Effect<P>& effect : effects) {
            if (const auto* tell = std::get_if<Tell<P>>(&effect)) note(now, node, tell->notice);
        }
    }
    void torn(Instant now, std::uint32_t node) override { chronicle_.torn(now, node); }
    void lost(Instant now, const Packet<P>& packet, Loss why) override {
        chronicle_.loss(now, letter(packet), why);
    }
    void duplicated(Instant now, const Packet<P>& packet) override {
        chronicle_.duplicate(now, letter(packet));
    }
    void violated(Instant now, std::string_view property, const std::string& what) override {
        chronicle_.violation(now, violation_text(property, what));
    }
    void begin(Instant at) { chronicle_.begin(at); }
    void leads(Instant now, std::uint32_t node, std::optional<NodeId> leader) {
        chronicle_.leader(now, node, leader);
    }
    void appears(Instant now, std::uint32_t node) { chronicle_.boot(now, node); }
    void unheard(const Packet<P>& packet) { chronicle_.unheard(letter(packet)); }
    void ended(Instant now, std::uint32_t node, const std::string& how) {
        chronicle_.end(now, node, how);
    }
    void draw_ahead(Duration ahead) { chronicle_.draw_ahead(ahead); }
    // The trace ends with the final states and what the properties say of them, so that a replay
    // compares them.
    template <class W> void finish(const W& world, const Judge<Top<P>>& judge, Report& report) {
        if (chronicle_.tracing()) {
            chronicle_.command(world.now, "show");
            chronicle_.output(show_all(world));
            chronicle_.command(world.now, "check");
            chronicle_.output(show_verdicts(world, judge));
        }
        chronicle_.finish(world.now, report);
    }

private:
    NodeId id(std::uint32_t at) const { return setup_.members[at].node; }
    Letter letter(const Packet<P>& packet) const {
        const bool detector = Counts<P>::kinds[packet.message.index()] == Kind::detector;
        const auto kind = detector        ? Diagram::Kind::detector
                          : packet.repair ? Diagram::Kind::repair
                                          : Diagram::Kind::source;
        return {packet.from,
                packet.to,
                packet.sent,
                packet_text(setup_.members, packet),
                std::visit([]<class M>(const M&) { return name_of<M>(); }, packet.message),
                kind};
    }
    void note(Instant now, std::uint32_t node, const typename P::Notice& notice) {
        if constexpr (holds<typename P::Notice, LeaderIs>) {
            const auto* told = std::get_if<LeaderIs>(&notice);
            if (told) chronicle_.leader(now, node, told->leader);
        }
    }

    const Setup<P>& setup_;
    Chronicle chronicle_;
};

}  // namespace conclave
