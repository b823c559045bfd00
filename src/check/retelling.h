// check/retelling.h -- a path through the landscape, told as a script that the simulator runs.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/country.h"
#include "sim/recorder.h"
#include "sim/starts.h"

namespace conclave {

template <class P> class Retelling {
public:
    struct Story {
        std::string script{};
        Diagram diagram{};
        std::vector<std::string> wrong{};  // what each property says at the end; empty: nothing
    };

    Retelling(const CheckPlan& plan, const Setup<P>& setup, std::string_view name,
              Country<P>& country)
        : plan_(plan.world),
          cuts_(plan.cuts),
          country_(country),
          demands_(demands_of<P>(plan)),
          tick_(country.repertoire().pace().tick),
          bench_{setup},
          recorder_(plan_, setup, name),
          stage_(bench_, Outbox<P>(tick_), plan_.oracle, 0) {
        bench_.watcher = &recorder_;
    }
    Retelling(const Retelling&) = delete;
    Retelling& operator=(const Retelling&) = delete;

    Story tell(const Path& path) {
        set_out(stage_, plan_);
        for (const auto& [from, to] : cuts_.links) stage_.play(fault::Cut{from, to});
        judge();
        const auto guide = country_.guide();
        std::vector<std::uint8_t> state = country_.start();
        Fan fan;
        for (std::uint16_t way : path) {
            const auto choices = guide->expand_and_tell(state, fan);
            here_.residents.resize(stage_.world.nodes.size());
            here_.read(state);
            take(choices[way]);
            const Code next = fan.state(fan.ways[way]);
            state.assign(next.begin(), next.end());
        }
        return finish();
    }

private:
    auto& world() { return stage_.world; }
    const Repertoire<P>& known() const { return country_.repertoire(); }

    void take(const Choice& choice) {
        if (choice.kind == Choice::Kind::boot) return;  // they have all set out
        // Where time does not count it stands still, or somebody who looks at a clock would do what
        // was never explored. In the picture each step takes a unit.
        if (tick_ == Duration{}) {
            world().agenda.ahead += unit;
            recorder_.draw_ahead(world().agenda.ahead);
        }
        if (choice.kind == Choice::Kind::tick) world().now += tick_;
        if (choice.kind == Choice::Kind::happen) happen(choice);
        if (choice.kind == Choice::Kind::outside) change_outside(choice.packet);
        if (choice.kind == Choice::Kind::lose) {
            world().drop(take_packet(find(choice.packet)), Loss::network);
        }
        if (choice.kind == Choice::Kind::duplicate) {
            const std::size_t at = find(choice.packet);
            const Packet<P> copy = in_flight()[at];
            world().announce_duplicate(copy);
            in_flight().insert(in_flight().begin() + static_cast<std::ptrdiff_t>(at), copy);
        }
        stage_.notice_torn();
        judge();
    }
    void happen(const Choice& choice) {
        const Occurrence what = choice.what;
        const NodeId self = world().id(choice.at);
        if (what.torn()) stage_.play(fault::Crash{self, true});
        if (what.is_arrival()) {
            world().arrive(take_packet(find(what.packet())));
        } else if (what.what() == Happening::expire) {
            const auto& node = known().resident(here_.residents[choice.at]).node;
            fire(choice.at, node.timers[what.argument()].timer);
        } else {
            stage_.play(fault_of(what, choice.at, known().setup().members, country_.wishes()));
        }
    }
    void fire(std::uint32_t at, const typename P::Timer& timer) {
        for (const Armed<P>& armed : world().nodes[at].timers) {
            if (!equal(without_nonces(armed.timer), without_nonces(timer))) continue;
            return static_cast<void>(world().fire(at, armed.stamp));
        }
        assert(false && "the timer is armed");
    }
    void change_outside(std::uint32_t change) {
        if (change == outside::heal) {
            const auto links = world().cuts.links;
            for (const auto& [from, to] : links) stage_.play(fault::Heal{from, to});
        } else {
            outside::each_cut(change, world().nodes.size(),
                              [&](std::uint32_t from, std::uint32_t to) {
                                  stage_.play(fault::Cut{world().id(from), world().id(to)});
                              });
        }
    }
    // Nonces may have been renumbered, but in their order: of those in flight that differ in
    // nothing else, the explorer's third is the world's third.
    std::size_t find(std::uint32_t number) {
        const Packet<P>& wanted = known().packet(number);
        const auto alike = [&](const Packet<P>& packet) {
            return packet.from == wanted.from && packet.to == wanted.to &&
                   packet.incarnation == wanted.incarnation &&
                   equal(without_nonces(packet.message), without_nonces(wanted.message));
        };
        std::vector<std::uint64_t> theirs;
        for (std::uint32_t other : here_.packets) {
            if (alike(known().packet(other))) theirs.push_back(nonce_of(known().packet(other)));
        }
        std::vector<std::pair<std::uint64_t, std::size_t>> ours;
        for (std::size_t at = 0; at < in_flight().size(); ++at) {
            if (!alike(in_flight()[at])) continue;
            ours.emplace_back(nonce_of(in_flight()[at]), at);
        }
        std::ranges::sort(theirs);
        std::ranges::sort(ours);
        const auto rank = std::ranges::find(theirs, nonce_of(wanted)) - theirs.begin();
        assert(static_cast<std::size_t>(rank) < ours.size());
        return ours[static_cast<std::size_t>(rank)].second;
    }
    static std::uint64_t nonce_of(const Packet<P>& packet) {
        std::uint64_t last = 0;
        const auto note = [&](const Nonce& nonce) { last = nonce.value; };
        for_each_leaf(packet.message, note);
        return last;
    }
    void judge() {
        if constexpr (Judged<Top<P>>) {
            world().judge([this](const View<Top<P>>& view) {
                judge_.look(view, [this](const auto& property, const std::string& what) {
                    recorder_.violated(world().now, property.name, what);
                });
            });
        }
    }
    Story finish() {
        Story story;
        world().judge([&](const View<Top<P>>& view) {
            for (const auto& property : demands_) {
                story.wrong.push_back(property.broken(view).value_or(""));
            }
        });
        Report report;
        recorder_.finish(world(), judge_, report);
        story.script = std::move(report.trace);
        story.diagram = std::move(report.diagram);
        return story;
    }
    std::vector<Packet<P>>& in_flight() { return world().agenda.sent; }
    Packet<P> take_packet(std::size_t at) {
        Packet<P> packet = std::move(in_flight()[at]);
        in_flight().erase(in_flight().begin() + static_cast<std::ptrdiff_t>(at));
        return packet;
    }

    Plan plan_;
    const Cuts cuts_;
    Country<P>& country_;
    const std::vector<Property<Top<P>>> demands_;
    const Duration tick_;
    Bench<P> bench_;
    Recorder<P> recorder_;
    Stage<P, Outbox<P>> stage_;  // the rehearsal's: another world takes as long again to compile
    Judge<Top<P>> judge_;
    Moment here_;
};

}  // namespace conclave
