// sim/theatre.h -- the script walker: a world in which a script picks what happens next.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/clockwork.h"
#include "sim/command.h"
#include "sim/judge.h"
#include "sim/narrate.h"
#include "sim/show.h"
#include "sim/simulator.h"
#include "sim/slate.h"
#include "sim/starts.h"

namespace conclave {

template <class P> class TheatreOf final : public Theatre, private Watcher<P> {
public:
    TheatreOf(const Plan& plan, Setup<P> setup, Duration settles_within)
        : plan_(plan),
          setup_(std::move(setup)),
          settles_within_(settles_within),
          stage_(bench_, Slate<P>(plan.adversary.delay_least), plan.oracle, ~plan.seed) {
        bench_.watcher = this;
    }
    TheatreOf(const TheatreOf&) = delete;  // its parts know each other's addresses
    TheatreOf& operator=(const TheatreOf&) = delete;

    std::string open() override {
        set_out(stage_, plan_);
        judge();
        return std::exchange(out_, {});
    }
    std::string perform(std::string_view line) override {
        Command command;
        if (const auto wrong = read_command(line, plan_.members, command)) {
            fail(*wrong);
        } else if (command.at && *command.at < now()) {
            fail("it is " + time_text() + " already");
        } else {
            if (command.at) stage_.world.now = *command.at;
            std::visit([this](const auto& one) { this->act(one); }, command.what);
            stage_.notice_torn();
            judge();
        }
        return std::exchange(out_, {});
    }

private:
    // How much is told: what a command did; every event and what it did; only the end.
    enum class Voice : std::uint8_t { steps, events, end };

    // --- Single things. ---

    void act(const command::Nothing&) {}
    void act(const command::Deliver& deliver) {
        if (!deliver.pick) return deliver_all();
        if (const auto at = find(*deliver.pick)) stage_.world.arrive(slate().take_packet(*at));
    }
    void act(const command::Lose& lose) {
        if (!lose.pick) return slate().packets.clear();
        if (const auto at = find(*lose.pick)) slate().take_packet(*at);
    }
    void act(const command::Duplicate& duplicate) {
        const auto at = find(duplicate.pick);
        if (!at) return;
        const Packet<P> copy = slate().packets[*at];
        slate().packets.insert(slate().packets.begin() + static_cast<std::ptrdiff_t>(*at), copy);
    }
    void act(const command::Expire& expire) {
        const std::uint32_t at = stage_.world.place(expire.node);
        const auto& node = stage_.world.nodes[at];
        for (const Armed<P>& armed : node.timers) {
            if (!fits(armed.timer, expire.timer)) continue;
            if (node.paused) return fail("node " + to_text(expire.node) + " is paused");
            return static_cast<void>(stage_.world.fire(at, armed.stamp));
        }
        fail("node " + to_text(expire.node) + " has no timer " + expire.timer + " armed");
    }
    void act(const command::Play& play) {
        for (const Fault& fault : play.faults) {
            if (const auto wish = wish_of(fault); wish && !read_request<P>(*wish)) {
                return fail("this algorithm knows no request '" + *wish + "'");
            }
            stage_.play(fault);
            stage_.notice_torn();
        }
    }
    void act(const command::HealAll&) {
        const auto links = stage_.world.cuts.links;
        for (const auto& [from, to] : links) stage_.play(fault::Heal{from, to});
    }

    // --- Many things. ---

    void deliver_all() {
        voice_ = told_;
        std::size_t events = 0;
        while (!slate().packets.empty() && events++ < most_events) {
            stage_.world.arrive(slate().take_packet(0));
            stage_.notice_torn();
            judge();
        }
        voice_ = Voice::steps;
        if (!slate().packets.empty()) fail("still busy after " + std::to_string(most_events));
    }
    void act(const command::Run& run) {
        if (run.until_settled && !Judged<Top<P>>) return fail("this algorithm has no properties");
        const Duration horizon = run.until_settled ? patience + settles_within_ : Duration{};
        const Instant limit = run.length          ? now() + *run.length
                              : run.until_settled ? now() + horizon
                                                  : Instant::max();
        voice_ = told_;
        std::size_t events = 0;
        while (events < most_events && !(run.until_settled && settled())) {
            drop_dead_alarms();
            const bool busy = !slate().packets.empty() || clockwork_.faults_left();
            const bool bounded = busy || run.length;
            if (!clockwork_.happen_next(bounded ? limit : std::min(limit, now() + patience))) break;
            judge();
            ++events;
        }
        voice_ = Voice::steps;
        if (events == most_events) return line("still busy at " + time_text());
        if (run.until_settled)
            return line((settled() ? "settled at " : "not settled at ") + time_text());
        if (!run.length) return line("quiet at " + time_text());
        stage_.world.now = limit;
        judge();
        line("it is " + time_text());
    }
    // An alarm that was disarmed, or whose node cannot act, must not move the time.
    void drop_dead_alarms() {
        slate().keep_alarms([this](const auto& alarm) {
            const auto& node = stage_.world.nodes[alarm.node];
            return !node.paused && std::ranges::any_of(node.timers, [&](const Armed<P>& armed) {
                return armed.stamp == alarm.stamp;
            });
        });
    }

    // --- Looking. ---

    void act(const command::Show& show) {
        const auto& world = stage_.world;
        out_ += show.node ? show_node(world, world.place(*show.node)) : show_all(world);
    }
    void act(const command::Leaders&) {
        const auto leaders = show_leaders(stage_.world);
        leaders ? void(out_ += *leaders) : fail("this algorithm elects nobody");
    }
    void act(const command::Tally& tally) {
        if (tally.clear) return static_cast<void>(bench_.counts = {});
        out_ += show_counts<P>(bench_.counts);
    }
    void act(const command::Pending&) {
        for (const Packet<P>& packet : slate().packets) {
            line(packet_text(setup_.members, packet) + " due " + time_text(packet.due));
        }
        for (std::size_t at = 0; at < stage_.world.nodes.size(); ++at) {
            for (const Armed<P>& armed : stage_.world.nodes[at].timers) {
                line(to_text(stage_.world.id(at)) + " " + to_text(armed.timer) + " due " +
                     time_text(armed.due));
            }
        }
        if (out_.empty()) line("nothing");
    }
    void act(const command::Check&) { out_ += show_verdicts(stage_.world, judge_); }
    void act(const command::Events& events) { told_ = events.on ? Voice::events : Voice::end; }

    // --- What the world reports. ---

    void playing(Instant, const Fault& fault) override { event(fault_text(fault)); }
    void arriving(Instant, const Packet<P>& packet) override {
        event("deliver " + packet_text(setup_.members, packet));
    }
    void firing(Instant, std::uint32_t node, const typename P::Timer& timer) override {
        event("expire " + to_text(stage_.world.id(node)) + " " + to_text(timer));
    }
    void stepped(Instant, std::uint32_t node, const Node<P>& stood, const Event<P>& event,
                 const std::vector<Effect<P>>& effects) override {
        if (voice_ != Voice::end) line(narrate<P>(stage_.world.id(node), stood, event, effects));
    }
    void torn(Instant, std::uint32_t node) override {
        if (voice_ != Voice::end) line(torn_text(stage_.world.id(node)));
    }
    void lost(Instant, const Packet<P>& packet, Loss why) override {
        if (voice_ != Voice::end) line(loss_text(why, packet_text(setup_.members, packet)));
    }

    void event(const std::string& text) {
        if (voice_ == Voice::events) out_ += "at " + time_text() + " " + text + "\n";
    }
    void line(const std::string& text) {
        if (!text.empty()) out_ += (voice_ == Voice::events ? "  " : "") + text + "\n";
    }
    void fail(const std::string& why) { line("error: " + why); }

    // --- Helpers. ---

    std::optional<std::size_t> find(const command::Pick& pick) {
        for (std::size_t at = 0; at < slate().packets.size(); ++at) {
            const Packet<P>& packet = slate().packets[at];
            if (stage_.world.id(packet.from) != pick.from) continue;
            if (stage_.world.id(packet.to) != pick.to) continue;
            if (pick.life && packet.incarnation != *pick.life) continue;
            if (pick.message.empty() || fits(packet.message, pick.message)) return at;
        }
        fail("no " + (pick.message.empty() ? "message" : pick.message) + " is on its way from " +
             to_text(pick.from) + " to " + to_text(pick.to));
        return std::nullopt;
    }
    // By its whole text, or just the name of its type.
    template <class V> static bool fits(const V& variant, std::string_view text) {
        const auto name = [](const auto& one) { return name_of<std::decay_t<decltype(one)>>(); };
        return std::visit(name, variant) == text || to_text(variant) == text;
    }
    static std::optional<std::string> wish_of(const Fault& fault) {
        if (std::holds_alternative<fault::Call>(fault)) return "Campaign";
        if (const auto* ask = std::get_if<fault::Ask>(&fault)) return ask->request;
        return std::nullopt;
    }
    bool settled() const {
        if constexpr (Judged<Top<P>>) {
            return stage_.world.agenda.own_in_flight() == 0 &&
                   stage_.world.judge(
                       [](const View<Top<P>>& view) { return Judge<Top<P>>::settled(view); });
        }
        return true;
    }
    void judge() {
        if constexpr (Judged<Top<P>>) {
            if (stage_.world.nodes.size() > watched_closely) return;
            stage_.world.judge([this](const View<Top<P>>& view) {
                judge_.look(view, [this](const auto& property, const std::string& what) {
                    line(violation_text(property.name, what));
                });
            });
        }
    }
    Slate<P>& slate() { return stage_.world.agenda; }
    Instant now() const { return stage_.world.now; }
    std::string time_text() const { return time_text(now()); }
    static std::string time_text(Instant at) { return units_text(at.time_since_epoch()); }

    static constexpr std::size_t most_events = 10'000;
    static constexpr Duration patience = 1'000 * unit;  // a timer later than this is not waited for

    const Plan plan_;
    const Setup<P> setup_;
    Duration settles_within_;
    Bench<P> bench_{setup_};
    Stage<P, Slate<P>> stage_;
    Clockwork<P, Slate<P>> clockwork_{stage_, plan_.schedule};
    Judge<Top<P>> judge_;
    Voice voice_ = Voice::steps;
    Voice told_ = Voice::events;  // by `run`
    std::string out_;
};

}  // namespace conclave
