// sim/stage.h -- a world with its oracle, on which faults are played.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/adversary.h"
#include "sim/ask.h"
#include "sim/oracle.h"
#include "sim/world.h"

namespace conclave {

template <class P, class A> class Stage {
public:
    Stage(Bench<P>& bench, A agenda, OracleSettings oracle_settings, std::uint64_t seed)
        : world(bench, std::move(agenda)),
          oracle(oracle_settings, bench.setup.members.size(), seed) {}

    World<P, A> world;
    Oracle oracle;

    // All at once, so that nobody takes a neighbour for dead who is only next in turn.
    void boot_all(const std::vector<NodeId>& but) {
        for (std::uint32_t at = 0; at < world.nodes.size(); ++at) {
            if (std::ranges::find(but, world.id(at)) == but.end()) world.boot(at);
        }
        for (NodeId node : but) oracle.spread(world.now, Opinion::What::gone, world.place(node));
    }
    void boot(std::uint32_t at) {
        oracle.forget(at);
        world.boot(at);
        for (std::uint32_t other = 0; other < world.nodes.size(); ++other) {
            if (unreachable(at, other)) inform(Opinion::What::gone, at, other);
        }
    }
    void play(const Fault& fault) {
        if (world.bench().watcher) world.bench().watcher->playing(world.now, fault);
        std::visit([this](const auto& one) { this->play_one(one); }, fault);
    }
    // After every event: a save that was torn is a crash like any other.
    void notice_torn() {
        if (!world.torn) return;
        oracle.spread(world.now, Opinion::What::gone, *world.torn);
        world.torn.reset();
    }
    // An opinion that has become wrong on its way is not told.
    void pronounce(const Opinion& opinion) {
        const NodeId observer = world.id(opinion.observer), subject = world.id(opinion.subject);
        const bool gone = unreachable(opinion.observer, opinion.subject);
        const Incarnation known = world.known_life(opinion.observer, opinion.subject);
        if (!world.nodes[opinion.observer].up) return;
        if (opinion.what == Opinion::What::gone && gone &&
            !oracle.suspects(opinion.observer, subject, known)) {
            if (oracle.reliable()) {
                play(fault::Fail{observer, subject});
            } else {
                play(fault::Suspect{observer, subject});
            }
        } else if (opinion.what != Opinion::What::gone && !gone &&
                   oracle.suspects(opinion.observer, subject)) {
            play(fault::Trust{observer, subject});
        } else if (opinion.what == Opinion::What::restarted && !gone &&
                   world.setup().incarnations && world.nodes[opinion.subject].incarnation > known) {
            play(fault::Restarted{observer, subject});  // no message of the new life came first
        }
    }

private:
    bool unreachable(std::uint32_t observer, std::uint32_t subject) const {
        const auto& node = world.nodes[subject];
        return observer != subject && (!node.up || node.paused ||
                                       world.cuts.contains(world.id(subject), world.id(observer)));
    }
    void inform(Opinion::What what, std::uint32_t observer, std::uint32_t subject) {
        oracle.inform(world.now, what, observer, subject);
    }
    void play_one(const fault::Crash& crash) {
        const std::uint32_t at = world.place(crash.node);
        if (!world.nodes[at].up) return;
        if (crash.torn) return static_cast<void>(world.nodes[at].tear = true);
        world.crash(at);
        oracle.spread(world.now, Opinion::What::gone, at);
    }
    void play_one(const fault::Restart& restart) {
        const std::uint32_t at = world.place(restart.node);
        if (world.nodes[at].up) {
            world.nodes[at].tear = false;  // the crash at its next Save did not come in time
            return;
        }
        if (restart.amnesia) world.forget(at);
        boot(at);
        oracle.spread(world.now, Opinion::What::restarted, at);
    }
    void play_one(const fault::Pause& pause) {
        world.pause(world.place(pause.node));
        oracle.spread(world.now, Opinion::What::gone, world.place(pause.node));
    }
    void play_one(const fault::Resume& resume) {
        world.resume(world.place(resume.node));
        oracle.spread(world.now, Opinion::What::back, world.place(resume.node));
    }
    void play_one(const fault::Cut& cut) {
        world.cuts.cut(cut.from, cut.to);
        inform(Opinion::What::gone, world.place(cut.to), world.place(cut.from));
    }
    void play_one(const fault::Heal& heal) {
        world.cuts.heal(heal.from, heal.to);
        inform(Opinion::What::back, world.place(heal.to), world.place(heal.from));
    }
    void play_one(const fault::Call& call) { ask(call.node, "Campaign"); }
    void suspect(NodeId observer, NodeId subject) {
        const std::uint32_t at = world.place(observer);
        oracle.suspect(at, subject, world.known_life(at, world.place(subject)));
    }
    void play_one(const fault::Suspect& told) {
        suspect(told.observer, told.subject);
        world.happen(world.place(told.observer), Suspected{told.subject});
    }
    void play_one(const fault::Fail& told) {
        suspect(told.observer, told.subject);
        world.happen(world.place(told.observer), Failed{told.subject});
    }
    void play_one(const fault::Trust& told) {
        const std::uint32_t at = world.place(told.observer), peer = world.place(told.subject);
        oracle.trust(at, told.subject);
        world.happen(at, Trusted{told.subject});
        if (unreachable(at, peer)) inform(Opinion::What::gone, at, peer);  // it was a lie
    }
    void play_one(const fault::Restarted& told) {
        const std::uint32_t at = world.place(told.observer), peer = world.place(told.subject);
        world.learn_life(at, peer, world.nodes[peer].incarnation);
        world.happen(at, Restarted{told.subject});
    }
    void play_one(const fault::Attribute& attribute) {
        world.nodes[world.place(attribute.node)].attribute = attribute.value;
    }
    void play_one(const fault::Drift& drift) {
        world.nodes[world.place(drift.node)].clock.set_rate(world.now, drift.ppm);
    }
    void play_one(const fault::Whisper& told) {
        world.whisper(world.place(told.from), world.place(told.to));
    }
    void play_one(const fault::Ask& wish) { ask(wish.node, wish.request); }
    void ask(NodeId node, const std::string& text) {
        if (const auto request = read_request<P>(text)) {
            world.happen(world.place(node), Asked<P>{*request});
        }
    }
};

}  // namespace conclave
