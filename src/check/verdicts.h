// check/verdicts.h -- what the properties say of a state, remembered while it is likely to be asked
// again: they see nodes, cuts and history, and most steps change none of these but the network.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/checker.h"
#include "check/moment.h"
#include "check/repertoire.h"
#include "core/stack.h"

namespace conclave {

template <class P> std::optional<std::string> two_leaders(const View<P>& view) {
    const Standing<P>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up || node.state->elected(node.now) != node.node) continue;
        if (first) return to_text(first->node) + " and " + to_text(node.node) + " both lead";
        first = &node;
    }
    return std::nullopt;
}

// What is to be judged: the algorithm's own properties, or only those that the plan names, and
// perhaps that nobody leads beside another.
template <class P> std::vector<Property<Top<P>>> demands_of(const CheckPlan& plan) {
    std::vector<Property<Top<P>>> list;
    if constexpr (Judged<Top<P>>) {
        for (const auto& property : Top<P>::properties()) {
            if (plan.judges(property.name)) list.push_back(property);
        }
    }
    if constexpr (Elects<Top<P>>) {
        if (plan.one_leader) {
            list.push_back({"at most one leader", Demand::always, two_leaders<Top<P>>});
        }
    }
    return list;
}

template <class P> class Verdicts final : public Opinions {
public:
    Verdicts(const Repertoire<P>& repertoire, const CheckPlan& plan)
        : repertoire_(repertoire),
          properties_(demands_of<P>(plan)),
          width_(repertoire.setup().members.size() + 2) {
        keys_.assign(entries * width_, UINT32_MAX);
        broken_.assign(entries, 0);
        key_.resize(width_);
    }

    // The properties that find something wrong, one bit each.
    std::uint64_t broken(const Moment& moment) override {
        const Cuts& cuts = repertoire_.outside(moment.outside).cuts;
        std::ranges::copy(moment.residents, key_.begin());
        key_[width_ - 2] = moment.past;
        key_[width_ - 1] = cuts.links.empty() ? UINT32_MAX - 1 : moment.outside;
        std::uint64_t hash = 0;
        for (std::uint32_t word : key_) detail::absorb_word(hash, word);
        const std::size_t at = detail::finish(hash) % entries;
        const auto known = keys_.begin() + static_cast<std::ptrdiff_t>(at * width_);
        if (!std::equal(key_.begin(), key_.end(), known)) {
            std::ranges::copy(key_, known);
            broken_[at] = ask(moment, cuts);
        }
        return broken_[at];
    }

private:
    static constexpr std::size_t entries = 1 << 14;

    std::uint64_t ask(const Moment& moment, const Cuts& cuts) {
        const Setup<P>& setup = repertoire_.setup();
        standing_.clear();
        for (std::uint32_t at = 0; at < moment.residents.size(); ++at) {
            const Node<P>& node = repertoire_.resident(moment.residents[at]).node;
            standing_.push_back({setup.members[at].node, &top(node.state), node.up, node.attribute,
                                 node.clock.read(Instant{})});
        }
        const View<Top<P>> view{
            standing_, setup.members, top_config(setup.config), cuts, repertoire_.past(moment.past),
            Instant{}};
        std::uint64_t broken = 0;
        for (std::size_t at = 0; at < properties_.size(); ++at) {
            if (properties_[at].broken(view)) broken |= std::uint64_t{1} << at;
        }
        return broken;
    }

    const Repertoire<P>& repertoire_;
    const std::vector<Property<Top<P>>> properties_;
    std::size_t width_;
    std::vector<std::uint32_t> keys_, key_;
    std::vector<std::uint64_t> broken_;
    std::vector<Standing<Top<P>>> standing_;
};

}  // namespace conclave
