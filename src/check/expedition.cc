// check/expedition.cc -- what can happen at a moment.
#include "check/expedition.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "check/crossing.h"

namespace conclave {

namespace {

class Expedition final : public Guide {
public:
    Expedition(Stock& stock, const Rules& rules, std::size_t requests, std::vector<bool> boots,
               std::unique_ptr<Opinions> opinions)
        : stock_(stock),
          rules_(rules),
          requests_(requests),
          boots_(std::move(boots)),
          nodes_(static_cast<std::uint32_t>(boots_.size())),
          opinions_(std::move(opinions)),
          // How many packets are in flight between two steps depends on which is first.
          crossing_(stock, rules.fifo, rules.bounded_time, rules.reduce && rules.flight == 0) {}

    void expand(Code state, Sleep asleep, Fan& fan) override {
        expand(state, asleep, fan, nullptr);
    }

    std::vector<Choice> expand_and_tell(Code state, Fan& fan) override {
        std::vector<Choice> choices;
        expand(state, 0, fan, &choices);
        return choices;
    }

private:
    void expand(Code state, Sleep asleep, Fan& fan, std::vector<Choice>* told) {
        fan.clear();
        crossing_.begin(state, asleep, fan, told);
        crossing_.fault = false;
        const std::uint32_t booted = crossing_.outside().booted;
        if (booted < nodes_) return crossing_.boot(booted, boots_[booted]);
        fan.broken = opinions_->broken(crossing_.now());
        fan.judged = true;
        fan.late = rules_.settles && crossing_.outside().ticks == 0 && !awaits_anybody();
        fan.cut = beyond_bounds();
        if (fan.cut) return;
        fan.cut = !proceed();
        crossing_.fault = true;
        begin();
        ask();
        go_wrong();
    }
    bool beyond_bounds() const {
        if (rules_.flight > 0 && packets().size() > rules_.flight) return true;
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            if (crossing_.face(at).beyond) return true;
        }
        return false;
    }
    // Who is paused resumes, who may come back does, and who is told to call an election calls it:
    // only then the time to settle begins.
    bool awaits_anybody() const {
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            const Face& face = crossing_.face(at);
            if (face.paused || (!face.up && budget().has(Spend::restart))) return true;
            if (face.calls > 0 && crossing_.acts(at) && !stock_.takes_turns()) return true;
        }
        return false;
    }
    const std::vector<std::uint32_t>& packets() const { return crossing_.now().packets; }
    const Budget& budget() const { return crossing_.outside().budget; }

    // --- What must happen. ---

    // False if it is only for a bound that time does not go on.
    bool proceed() {
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            if (crossing_.face(at).section == Section::inside && crossing_.acts(at)) {
                crossing_.happen(at, Occurrence::of(Happening::leave));
            }
            if (crossing_.face(at).paused) {
                crossing_.disturb(at, Occurrence::of(Happening::resume));
            }
        }
        if (!crossing_.outside().cuts.links.empty()) crossing_.change_outside(outside::heal);
        // At one instant messages come first, then verdicts, then timers; then time goes on.
        if (deliver() || pronounce() || fire() || !stock_.pace().counts()) return true;
        if (rules_.bounded_time && crossing_.outside().ticks == 0) return false;
        crossing_.pass_tick();
        return true;
    }
    // True if a packet must arrive before anything else. Equal packets are one choice, and on a
    // link that keeps order only the first can arrive.
    bool deliver() {
        bool overdue = stock_.pace().patient && !packets().empty();
        for (std::size_t index = 0; index < packets().size(); ++index) {
            const std::uint32_t order = crossing_.order(packets()[index]);
            overdue = overdue || stock_.packet_face(packets()[index]).overdue;
            if (index > 0 && crossing_.order(packets()[index - 1]) == order) continue;
            crossing_.deliver(index);
        }
        return overdue;
    }
    // True if a verdict is due.
    bool pronounce() {
        bool due = false;
        if (!rules_.oracle) return due;
        const Pace& pace = stock_.pace();
        for (std::uint32_t observer = 0; observer < nodes_; ++observer) {
            for (std::uint32_t subject = 0; subject < nodes_; ++subject) {
                if (subject == observer || !crossing_.acts(observer)) continue;
                const auto verdict = verdict_of(observer, subject);
                if (!verdict) continue;
                const auto elapsed =
                    std::min(crossing_.face(observer).since, crossing_.face(subject).since);
                if (pace.verdict_most > 0 && elapsed < pace.verdict_least) continue;
                due = due || (pace.verdict_most > 0 && elapsed >= pace.verdict_most);
                crossing_.happen(observer, *verdict);
            }
        }
        return due;
    }
    bool suspects(std::uint32_t observer, std::uint32_t subject) const {
        return (crossing_.face(observer).suspects >> subject & 1U) != 0;
    }
    bool gone(std::uint32_t observer, std::uint32_t subject) const {
        return !crossing_.acts(subject) || crossing_.is_cut(subject, observer);
    }
    // What there is to say: what is true and has not been said.
    std::optional<Occurrence> verdict_of(std::uint32_t observer, std::uint32_t subject) const {
        if (gone(observer, subject)) {
            const bool outlived = (crossing_.face(observer).outlived >> subject & 1U) != 0;
            if (suspects(observer, subject) && !outlived) return std::nullopt;
            if (rules_.reliable && on_its_way(subject, observer)) return std::nullopt;
            return Occurrence::of(rules_.reliable ? Happening::fail : Happening::suspect, subject);
        }
        if (suspects(observer, subject)) return Occurrence::of(Happening::trust, subject);
        const std::uint32_t life = crossing_.face(subject).life;
        if (life > 1 && stock_.knows_lives() && life > known_life(observer, subject)) {
            return Occurrence::of_life(subject, life);
        }
        return std::nullopt;
    }
    bool on_its_way(std::uint32_t from, std::uint32_t to) const {
        return std::ranges::any_of(packets(), [&](std::uint32_t packet) {
            const PacketFace& face = stock_.packet_face(packet);
            return face.from == from && face.to == to;
        });
    }
    std::uint32_t known_life(std::uint32_t observer, std::uint32_t subject) const {
        if (!crossing_.face(observer).reborn) return 1;
        return stock_.known_life(crossing_.now().residents[observer], subject);
    }
    // True if there is a timer that must fire before time goes on.
    bool fire() {
        bool due = false;
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            for (std::uint32_t left = crossing_.face(at).timers; left != 0; left &= left - 1) {
                const auto timer = static_cast<std::uint32_t>(std::countr_zero(left));
                crossing_.happen(at, Occurrence::of(Happening::expire, timer));
                due = true;
            }
        }
        return due;
    }

    // --- What may happen. ---

    // Nobody may rely on others to ask for the critical section. But who is told to start an
    // election does.
    void begin() {
        const bool fault = std::exchange(crossing_.fault, stock_.takes_turns());
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            const Face& face = crossing_.face(at);
            if (!crossing_.acts(at) || face.calls == 0 || face.section != Section::outside)
                continue;
            crossing_.disturb(at, Occurrence::of(Happening::begin));
        }
        crossing_.fault = fault;
    }
    void ask() {
        if (!budget().has(Spend::call)) return;
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            for (std::uint32_t request = 0; request < requests_; ++request) {
                if (!crossing_.acts(at)) continue;
                crossing_.pay(Spend::call, at, Occurrence::of(Happening::ask, request));
            }
        }
    }
    void go_wrong() {
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            const Face& face = crossing_.face(at);
            if (face.up) {
                crossing_.pay(Spend::crash, at, Occurrence::of(Happening::crash));
                crossing_.pay(Spend::change, at, Occurrence::of(Happening::rise));
                crossing_.pay(Spend::change, at, Occurrence::of(Happening::sink));
                if (!face.paused) {
                    crossing_.pay(Spend::pause, at, Occurrence::of(Happening::pause));
                }
            } else {
                come_back(at);
                crossing_.pay(Spend::amnesia, at, Occurrence::of(Happening::amnesia));
            }
            lie_to(at);
        }
        lose_and_double();
        fall_apart();
    }
    // Who crashed comes back sooner or later, as long as the budget lasts: some algorithms promise
    // progress only then.
    void come_back(std::uint32_t at) {
        const bool fault = std::exchange(crossing_.fault, false);
        crossing_.pay(Spend::restart, at, Occurrence::of(Happening::restart));
        crossing_.fault = fault;
    }
    void lie_to(std::uint32_t observer) {
        if (!budget().has(Spend::suspicion) || !crossing_.acts(observer)) return;
        for (std::uint32_t subject = 0; subject < nodes_; ++subject) {
            if (subject == observer || suspects(observer, subject)) continue;
            if (gone(observer, subject)) continue;
            crossing_.pay(Spend::suspicion, observer, Occurrence::of(Happening::suspect, subject));
        }
    }
    void lose_and_double() {
        for (std::size_t index = 0; index < packets().size(); ++index) {
            if (index > 0 && packets()[index - 1] == packets()[index]) continue;
            if (budget().has(Spend::loss)) crossing_.lose(index);
            if (budget().has(Spend::duplicate)) crossing_.duplicate(index);
        }
    }
    void fall_apart() {
        if (!crossing_.outside().cuts.links.empty()) return;  // one thing at a time
        if (budget().has(Spend::partition)) {
            for (std::uint32_t part = 1; part + 1 < 1U << nodes_; part += 2) {
                crossing_.change_outside(outside::partition(part));
            }
        }
        if (!budget().has(Spend::cut)) return;
        for (std::uint32_t from = 0; from < nodes_; ++from) {
            for (std::uint32_t to = 0; to < nodes_; ++to) {
                if (from != to) crossing_.change_outside(outside::cut(from, to));
            }
        }
    }

    const Stock& stock_;
    const Rules rules_;
    const std::size_t requests_;  // of the plan, that anybody may make
    const std::vector<bool> boots_;
    const std::uint32_t nodes_;
    const std::unique_ptr<Opinions> opinions_;
    Crossing crossing_;
};

}  // namespace

std::unique_ptr<Guide> make_guide(Stock& stock, const Rules& rules, std::size_t requests,
                                  std::vector<bool> boots, std::unique_ptr<Opinions> opinions) {
    return std::make_unique<Expedition>(stock, rules, requests, std::move(boots),
                                        std::move(opinions));
}

}  // namespace conclave
