// sim/playback.h -- the recordings of real nodes, in the same world and under the same properties.
//
// Every recorded event steps the same protocol code again, each node on its own clock and with its
// own settings. The effects must be those that were recorded: a difference is a bug of ours, or a
// recording of another version. A message that arrives is matched with the one that was sent; a
// node without a recording is a line from which messages come and to which they go.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/value.h"
#include "sim/flight.h"
#include "sim/judge.h"
#include "sim/narrate.h"
#include "sim/recorded.h"
#include "sim/recorder.h"
#include "sim/simulator.h"
#include "sim/world.h"

namespace conclave {

template <class P> class Playback final : private Watcher<P> {
public:
    Playback(const RecordedGroup& group, const Window& window)
        : group_(group), window_(window), world_(bench_, Flight<P>(heard())) {
        bench_.watcher = this;
    }
    Playback(const Playback&) = delete;  // its parts know each other's addresses
    Playback& operator=(const Playback&) = delete;

    World<P, Flight<P>>& world() { return world_; }
    const Counts<P>& counts() const { return bench_.counts; }

    Result<Replayed> run() {
        for (const Recorded& one : group_.events) {
            if (one.at > window_.to) break;
            world_.now = one.at;
            if (!open() && world_.now >= window_.from) open_window();
            now_ = &one;
            if (!play(one))
                return Error{where(one) + ": this cannot be read as " + group_.algorithm};
            judge();
        }
        if (!open()) open_window();
        world_.agenda.each_packet([this](const Packet<P>& packet) {
            if (drawn() && packet.sent >= window_.from) recorder_->unheard(packet);
        });
        replayed_.report.end = in_units(world_.now);
        replayed_.report.time = in_units(bench_.last_arrival);
        replayed_.report.changes = bench_.offices;
        if (bench_.first_office) replayed_.report.elected_at = in_units(*bench_.first_office);
        recorder_->finish(world_, judge_, replayed_.report);
        return std::move(replayed_);
    }

private:
    struct Past {  // of one node, as far as it is recorded
        typename P::Config config{};
        Incarnation life{};
        bool whole = false;    // it is known since its boot
        bool differs = false;  // from its recording, in this life
    };

    std::vector<char> heard() const {
        std::vector<char> heard;
        for (const Member& member : group_.members) {
            heard.push_back(std::ranges::count(group_.recorded, member.node) > 0);
        }
        return heard;
    }
    static std::string where(const Recorded& one) {
        return one.file->name + " at byte " + std::to_string(one.offset);
    }
    template <class T> static bool read(ByteView bytes, T& value) {
        value = {};
        return decode<wire::Growing>(bytes, value) && bytes.empty();
    }

    // --- What was recorded happens. ---

    bool play(const Recorded& one) {
        if (one.what == Recorded::What::step) return play_step(one);
        if (one.what == Recorded::What::segment) return begin(one);
        end(one.place, std::string(one.how));
        return true;
    }
    bool begin(const Recorded& one) {
        Past& past = pasts_[one.place];
        Node<P>& node = world_.nodes[one.place];
        if (!read(one.config, past.config)) return false;
        node.clock = {one.clock, 0};
        past.life = one.life;
        if (one.complete) return !one.booted || compare_state(one, node);
        past.whole = false;
        note(one.place, "is recorded from here on");
        if (!one.booted) return true;
        node.up = true;
        node.incarnation = one.life;
        if (drawn()) recorder_->appears(one.at, one.place);
        return read(one.bytes, node.state);
    }
    // Where one file goes on where another ended, its state is what the steps must have come to.
    bool compare_state(const Recorded& one, const Node<P>& node) {
        P state;
        if (!read(one.bytes, state)) return false;
        event_ = "the state of the next file";
        expected_.clear();
        if (!equal(state, node.state)) differ(to_text(node.state) + ", not " + to_text(state));
        return true;
    }
    void end(std::uint32_t at, const std::string& how) {
        if (!world_.nodes[at].up) return;
        world_.crash(at);
        note(at, how);
        if (drawn()) recorder_->ended(world_.now, at, how);
    }
    bool play_step(const Recorded& one) {
        Event<P> event;
        if (!read(one.bytes, event) || !read(one.effects, expected_)) return false;
        if (!names_members(event)) return false;
        setup_.config = pasts_[one.place].config;
        world_.nodes[one.place].attribute = one.attribute;
        stepped_ = false;
        event_ = to_text(event);
        std::visit([&](auto& what) { this->happen(one, what); }, event);
        if (!stepped_) differ("nothing: the node is down");
        ++replayed_.report.events;
        for (const Packet<P>& packet : std::exchange(world_.agenda.unheard, {})) {
            if (drawn()) recorder_->unheard(packet);
        }
        return true;
    }
    // A node takes no letters of strangers, and nobody has an opinion of one.
    bool names_members(const Event<P>& event) const {
        return std::visit(
            [this](const auto& one) {
                if constexpr (requires { one.from; }) return setup_.members.contains(one.from);
                if constexpr (requires { one.node; }) return setup_.members.contains(one.node);
                return true;
            },
            event);
    }
    void happen(const Recorded& one, Booted<P>& booted) {
        end(one.place, "crashes");
        Node<P>& node = world_.nodes[one.place];
        Past& past = pasts_[one.place];
        node.durable = std::move(booted.durable);
        node.incarnation = Incarnation{past.life.value - 1};
        past.whole = true;
        past.differs = false;
        event("boot " + to_text(world_.id(one.place)));
        world_.boot(one.place);
    }
    void happen(const Recorded& one, Received<P>& letter) {
        const std::uint32_t from = world_.place(letter.from);
        const auto lose = [this](const Packet<P>& packet) { world_.drop(packet, Loss::network); };
        auto sent = world_.agenda.take(from, one.place, letter.message, lose);
        if (!sent) {
            sent = Packet<P>{std::move(letter.message), one.at, one.at, one.life, from, one.place};
        }
        sent->incarnation = one.life;
        world_.arrive(std::move(*sent));
    }
    void happen(const Recorded& one, Expired<P>& expired) {
        const auto& timers = world_.nodes[one.place].timers;
        const auto armed = std::ranges::find_if(
            timers, [&](const Armed<P>& timer) { return equal(timer.timer, expired.timer); });
        if (armed != timers.end()) {
            return static_cast<void>(world_.fire(one.place, armed->stamp));
        }
        if (pasts_[one.place].whole) differ("no such timer is armed");
        firing(one.at, one.place, expired.timer);
        world_.happen(one.place, std::move(expired));
    }
    void happen(const Recorded& one, Asked<P>& asked) {
        playing(one.at, fault::Ask{world_.id(one.place), to_text(asked.request)});
        world_.happen(one.place, std::move(asked));
    }
    void happen(const Recorded& one, Suspected& told) { verdict<fault::Suspect>(one, told); }
    void happen(const Recorded& one, Trusted& told) { verdict<fault::Trust>(one, told); }
    void happen(const Recorded& one, Failed& told) { verdict<fault::Fail>(one, told); }
    void happen(const Recorded& one, Restarted& told) { verdict<fault::Restarted>(one, told); }
    template <class E> void happen(const Recorded& one, E& rest) {
        event(to_text(world_.id(one.place)) + " " + to_text(rest));
        world_.happen(one.place, rest);
    }
    template <class F, class E> void verdict(const Recorded& one, const E& verdict) {
        playing(one.at, F{world_.id(one.place), verdict.node});
        world_.happen(one.place, verdict);
    }

    // --- What the world reports. ---

    void playing(Instant now, const Fault& fault) override {
        event(fault_text(fault));
        if (drawn()) recorder_->playing(now, fault);
    }
    void arriving(Instant now, const Packet<P>& packet) override {
        event("deliver " + packet_text(setup_.members, packet));
        if (drawn()) recorder_->arriving(now, packet);
    }
    void firing(Instant now, std::uint32_t node, const typename P::Timer& timer) override {
        event("expire " + to_text(world_.id(node)) + " " + to_text(timer));
        if (drawn()) recorder_->firing(now, node, timer);
    }
    void stepped(Instant now, std::uint32_t node, const Node<P>& stood, const Event<P>& event,
                 const std::vector<Effect<P>>& effects) override {
        stepped_ = true;
        if (!equal(effects, expected_)) differ(narrate<P>(world_.id(node), stood, event, effects));
        if (window_.told) line(narrate<P>(world_.id(node), stood, event, effects));
        if (drawn()) recorder_->stepped(now, node, stood, event, effects);
    }
    void lost(Instant now, const Packet<P>& packet, Loss why) override {
        if (window_.told) line(loss_text(why, packet_text(setup_.members, packet)));
        if (drawn() && packet.sent >= window_.from) recorder_->lost(now, packet, why);
    }

    // Only the first of a life: what comes after it follows from it.
    void differ(const std::string& replayed) {
        Past& past = pasts_[now_->place];
        if (std::exchange(past.differs, true)) return;
        const NodeId node = world_.id(now_->place);
        const Event<P> unknown = MembersChanged{};
        replayed_.differences.push_back(
            {node, in_units(now_->at), where(*now_), event_,
             narrate<P>(node, world_.nodes[now_->place], unknown, expected_), replayed});
    }
    void judge() {
        if constexpr (Judged<Top<P>>) {
            world_.judge([this](const View<Top<P>>& view) {
                judge_.look(view, [this](const auto& property, const std::string& what) {
                    blame(property.name, what);
                });
            });
        }
    }
    void blame(std::string_view property, const std::string& what) {
        line(violation_text(property, what));
        auto& known = replayed_.report.violations;
        if (std::ranges::count(known, property, &Violation::property) > 0) return;
        known.push_back({std::string(property), what, in_units(world_.now)});
    }

    // --- What is told. ---

    bool open() const { return recorder_.has_value(); }
    bool drawn() const { return open() && window_.drawn; }
    void event(const std::string& text) {
        line("at " + units_text(world_.now.time_since_epoch()) + " " + text);
    }
    void note(std::uint32_t at, const std::string& what) {
        event(to_text(world_.id(at)) + " " + what);
    }
    void line(const std::string& text) {
        if (open() && window_.told && !text.empty()) replayed_.story += text + "\n";
    }
    // What is so at its beginning is drawn from there on, whenever it came about.
    void open_window() {
        const Instant from = std::min(window_.from, world_.now);
        plan_.members = group_.members;
        plan_.diagram = window_.drawn;
        for (std::uint32_t at = 0; at < world_.nodes.size(); ++at) {
            if (known_down(at)) plan_.down.push_back(world_.id(at));
        }
        recorder_.emplace(plan_, setup_, group_.algorithm);
        recorder_->begin(from);
        if constexpr (Elects<Top<P>>) {
            for (std::uint32_t at = 0; at < world_.nodes.size(); ++at) {
                const auto& node = world_.nodes[at];
                if (!node.up) continue;
                recorder_->leads(from, at, node.state.elected(node.clock.read(world_.now)));
            }
        }
    }
    // Not one without a recording, nor one whose recording begins in the middle of its life.
    bool known_down(std::uint32_t at) const {
        if (world_.nodes[at].up) return false;
        const auto first = std::ranges::find(group_.events, at, &Recorded::place);
        return first != group_.events.end() && !(first->booted && first->at >= world_.now);
    }

    const RecordedGroup& group_;
    const Window window_;
    Plan plan_;
    Setup<P> setup_{MemberList(group_.members), {}, false};
    Bench<P> bench_{setup_};
    World<P, Flight<P>> world_;
    std::optional<Recorder<P>> recorder_;  // since the window is open
    Judge<Top<P>> judge_;
    std::vector<Past> pasts_{group_.members.size()};
    std::vector<Effect<P>> expected_;
    std::string event_;  // being played, for those who complain
    const Recorded* now_ = nullptr;
    bool stepped_ = false;
    Replayed replayed_;
};

}  // namespace conclave
