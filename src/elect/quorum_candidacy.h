// elect/quorum_candidacy.h -- one attempt to be elected: who has answered what.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include "elect/quorum_preference.h"
#include "elect/quorum_types.h"

namespace conclave::quorum {

struct Candidacy {
    enum class Stage : std::uint8_t {
        canvassing,   // asking whether it could be won: binds nobody
        campaigning,  // asking for votes, my own is cast
    };
    Stage stage = Stage::canvassing;
    Epoch epoch;
    Nonce nonce;
    Key key;  // frozen, so that all compare the same
    NodeSet granted, refused;
    std::optional<Duration> retry_after;  // the soonest that a refusal named

    void refuse(NodeId voter, Duration after) {
        refused.insert(voter);
        if (after > Duration{}) retry_after = std::min(after, retry_after.value_or(after));
    }
    // Too many have refused, or will not answer at all.
    bool hopeless(const Electorate& members, const Preference& preference) const {
        NodeSet possible = granted;
        for (const Member& member : members) {
            if (preference.available(member.node)) possible.insert(member.node);
        }
        return !is_quorum(members, possible - refused);
    }
};

}  // namespace conclave::quorum
