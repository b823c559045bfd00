// sim/adversary.cc -- draws a schedule of faults from a seed.
#include "sim/adversary.h"

#include <algorithm>

#include "sim/dice.h"

namespace conclave {

namespace {

class Drawing {
public:
    Drawing(const Adversary& adversary, const std::vector<NodeId>& nodes, std::uint64_t seed)
        : adversary_(adversary), nodes_(nodes), dice_(seed ^ 0xadULL << 56) {}

    Schedule draw() {
        draw_lives();
        for (std::uint32_t i = 0; i < adversary_.partitions; ++i) partition();
        for (std::uint32_t i = 0; i < adversary_.one_way_cuts; ++i) one_way_cut();
        for (std::uint32_t i = 0; i < adversary_.false_suspicions; ++i) false_suspicion();
        for (std::uint32_t i = 0; i < adversary_.calls; ++i) at(some_time(), fault::Call{some()});
        for (std::uint32_t i = 0; i < adversary_.attribute_changes; ++i) {
            at(some_time(), fault::Attribute{some(), static_cast<Attribute>(dice_.below(8))});
        }
        std::ranges::stable_sort(schedule_, {}, &Scheduled::at);
        return std::move(schedule_);
    }

private:
    // Each crash or pause hits one node for one stretch of time. Stretches of one node may overlap:
    // the stage ignores the crash of a dead node and the restart of a live one.
    void draw_lives() {
        for (std::uint32_t i = 0; i < adversary_.crashes + adversary_.torn_saves; ++i) {
            const auto [from, to] = stretch();
            const NodeId node = some();
            at(from, fault::Crash{node, i >= adversary_.crashes});
            if (!adversary_.restarts) continue;
            at(to, fault::Restart{node, adversary_.amnesia && dice_.chance(0.5)});
        }
        for (std::uint32_t i = 0; i < adversary_.pauses; ++i) {
            const auto [from, to] = stretch();
            const NodeId node = some();
            at(from, fault::Pause{node});
            at(to, fault::Resume{node});
        }
    }
    void partition() {
        const auto [from, to] = stretch();
        std::vector<NodeId> left, right;
        for (NodeId node : nodes_) (dice_.chance(0.5) ? left : right).push_back(node);
        for (NodeId a : left) {
            for (NodeId b : right) sever(a, b, from, to), sever(b, a, from, to);
        }
    }
    void one_way_cut() {
        const auto [from, to] = stretch();
        const NodeId a = some(), b = some();
        if (a != b) sever(a, b, from, to);
    }
    void sever(NodeId a, NodeId b, Instant from, Instant to) {
        at(from, fault::Cut{a, b});
        at(to, fault::Heal{a, b});
    }
    void false_suspicion() {
        const auto [from, to] = stretch();
        const NodeId a = some(), b = some();
        if (a == b) return;
        at(from, fault::Suspect{a, b});
        at(to, fault::Trust{a, b});
    }

    void at(Instant when, Fault fault) { schedule_.push_back({when, std::move(fault)}); }
    NodeId some() { return nodes_[dice_.below(nodes_.size())]; }
    Instant some_time() { return Instant(dice_.between({}, adversary_.calm)); }
    std::pair<Instant, Instant> stretch() {
        const Instant a = some_time(), b = some_time();
        return {std::min(a, b), std::max(a, b)};
    }

    const Adversary& adversary_;
    const std::vector<NodeId>& nodes_;
    Dice dice_;
    Schedule schedule_;
};

}  // namespace

Schedule draw_schedule(const Adversary& adversary, const std::vector<NodeId>& nodes,
                       std::uint64_t seed) {
    return Drawing(adversary, nodes, seed).draw();
}

}  // namespace conclave
