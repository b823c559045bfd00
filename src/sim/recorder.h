// sim/recorder.h -- writes down a run: as a script that replays it, and as a space-time diagram.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/chronicle.h"
#include "sim/narrate.h"
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
    void stepped(Instant now, std::uint32_t node, const Event<P>& event,
                 const std::vector<Effect<P>>& effects) override {
        if (std::holds_alternative<Booted<P>>(event)) chronicle_.boot(now, node);
        chronicle_.output(narrate<P>(id(node), effects));
        for (const Effect<P>& effect : effects) {
            if (const auto* tell = std::get_if<Tell<P>>(&effect)) note(now, node, tell->notice);
        }
    }
    void lost(Instant now, const Packet<P>& packet, Loss why) override {
        chronicle_.loss(now, letter(packet), why == Loss::network, loss_name(why));
    }
    void duplicated(Instant now, const Packet<P>& packet) override {
        chronicle_.duplicate(now, letter(packet));
    }
    void finish(Instant now, Report& report) { chronicle_.finish(now, report); }

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
                to_text(packet.message),
                std::visit([]<class M>(const M&) { return name_of<M>(); }, packet.message),
                kind};
    }
    static std::string_view loss_name(Loss why) {
        switch (why) {
            case Loss::network:
                return "lost";
            case Loss::cut:
                return "the link is cut";
            case Loss::down:
                return "nobody there";
            case Loss::stale:
                return "from an earlier life";
        }
        return {};
    }
    void note(Instant now, std::uint32_t node, const typename P::Notice& notice) {
        if (const auto* told = std::get_if<LeaderIs>(&notice)) {
            chronicle_.leader(now, node, told->leader);
        }
    }

    const Setup<P>& setup_;
    Chronicle chronicle_;
};

}  // namespace conclave
