// elect/quorum_preference.h -- who should lead, if it can be had: never a matter of safety.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/node_set.h"
#include "core/small.h"
#include "elect/quorum_types.h"

namespace conclave::quorum {

struct Preference {
    struct Challenger {
        NodeId node{};
        Instant since;
    };
    Small<Key, 8> heard;  // what members said of themselves, last
    NodeSet suspected;    // by the detector
    NodeSet gone;  // led and fell silent, resigned, or does not stand; until it says otherwise
    std::optional<Instant> leaderless_since;  // I saw leadership end, and none begin
    std::optional<Instant> abstains_until;    // I resigned
    std::optional<Challenger> challenger;     // of me, the leader
    Attribute penalty = 0;                    // mine, for offices lost

    void expire(Instant now) {
        if (abstains_until && now >= *abstains_until) abstains_until.reset();
    }
    void learn(Key key) {
        for (Key& known : heard) {
            if (known.node == key.node) return static_cast<void>(known = key);
        }
        heard.push_back(key);
    }
    bool available(NodeId node) const { return !suspected.contains(node) && !gone.contains(node); }

    std::optional<Key> key_of(const Config& config, const Electorate& members, NodeId node) const {
        for (const Key& known : heard) {
            if (known.node == node) return known;
        }
        if (config.live_attribute) return std::nullopt;
        const Member* member = members.find(node);
        if (member == nullptr) return std::nullopt;
        return Key{member->priority, node};
    }

    // How many should stand before me. An attribute that I never heard is taken to be like mine.
    std::size_t rank(const Config& config, const Electorate& members, Key mine) const {
        std::size_t better = 0;
        for (const Member& member : members) {
            if (member.node == mine.node || !may_lead(member) || !available(member.node)) continue;
            const Key theirs =
                key_of(config, members, member.node).value_or(Key{mine.attribute, member.node});
            better += theirs > mine;
        }
        return better;
    }

    // Whether a voter should wait for somebody better than this candidate: myself, if I stand, or
    // another. Only pre-votes ask, and only for a while: afterwards anybody may win.
    bool insists(const Config& config, const Electorate& members, Key candidate, Key mine,
                 bool i_stand, Instant now) const {
        if (!leaderless_since || now >= *leaderless_since + config.pref_window) return false;
        return std::any_of(members.begin(), members.end(), [&](const Member& member) {
            if (member.node == mine.node) return i_stand && mine > candidate;
            if (!may_lead(member) || !available(member.node)) return false;
            const auto theirs = key_of(config, members, member.node);
            return theirs && *theirs > candidate && member.node != candidate.node;
        });
    }

    // Who should follow the leader: the best among those who answer it.
    template <class Answers>
    std::optional<Key> successor(const Config& config, const Electorate& members, NodeId leader,
                                 Answers answers) const {
        std::optional<Key> best;
        for (const Member& member : members) {
            if (member.node == leader || !may_lead(member)) continue;
            if (!available(member.node) || !answers(member.node)) continue;
            const auto theirs = key_of(config, members, member.node);
            if (theirs && (!best || *theirs > *best)) best = theirs;
        }
        return best;
    }
    // True once the same one has been clearly better for long enough.
    bool challenged(const Config& config, std::optional<Key> successor, Key mine, Instant now) {
        if (!successor || successor->attribute < mine.attribute + config.hysteresis ||
            *successor < mine) {
            challenger.reset();
        } else if (!challenger || challenger->node != successor->node) {
            challenger = Challenger{successor->node, now};
        }
        return challenger && now - challenger->since >= config.hold_down;
    }
};

}  // namespace conclave::quorum
