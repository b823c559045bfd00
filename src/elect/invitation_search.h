// elect/invitation_search.h -- how a coordinator finds out whom to invite, and when.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/node_set.h"
#include "elect/invitation_messages.h"
#include "elect/invitation_options.h"
#include "elect/invitation_question.h"

namespace conclave::invitation {

struct Search {
    // One Check:
    NodeSet answered;
    NodeSet mates;          // participants that are still with me
    NodeSet found;          // coordinators that may be merged
    NodeSet above;          // coordinators better than I am
    NodeSet named;          // coordinators, as their participants say
    bool repeated = false;  // those who were only named have been asked again
    bool unready = false;   // a lower coordinator is busy with a merge of its own
    // From one to the next:
    NodeSet others;                // whom I am merging, or am going to
    NodeSet noted;                 // lower coordinators that asked while I was busy
    NodeSet shunned;               // accepted, but never answered Ready: left out next time
    std::uint32_t collisions = 0;  // merges in a row to which none of the others came

    void begin() {
        answered.clear();
        mates.clear();
        found.clear();
        above.clear();
        named.clear();
        noted.clear();  // they will be asked
        repeated = unready = false;
    }
    void hear(NodeId from, const CoordinatorAnswer& answer, Key mine, bool only_lower) {
        const bool higher = answer.key > mine;
        const bool leads = answer.post == Post::coordinator || answer.post == Post::busy;
        answered.insert(from);
        if (leads && higher) above.insert(from);
        if (answer.post == Post::busy && !higher) unready = true;
        if (answer.post == Post::coordinator && !(higher && only_lower)) found.insert(from);
        if (answer.post == Post::yours) mates.insert(from);
        if (answer.post == Post::participant && answer.coordinator) {
            named.insert(*answer.coordinator);
        }
    }
    // Once per Check: coordinators that exist, as their participants say, but did not answer.
    NodeSet ask_again(NodeId self) {
        if (std::exchange(repeated, true)) return {};
        return named - answered - NodeSet{self};
    }
    void choose() {
        others = found - shunned;
        shunned.clear();
    }
    void collected(const NodeSet& accepted) {
        const bool collided = !others.empty() && (others & accepted).empty();
        collisions = collided ? collisions + 1 : 0;
    }

    // How long to wait before the merge: one slot for each better coordinator, so that the best
    // comes first and finds all others at rest; and after a collision, a little at random, but not
    // so long that the next in rank comes first.
    Wait delay(const Config& config, const Question& question, std::size_t rank) const {
        if (rank == 0 && collisions == 0) return {};
        const Duration doubled = config.jitter * (std::int64_t{1} << std::min(collisions, 8U));
        const Duration least = static_cast<std::int64_t>(rank) * config.slot;
        const Duration most = least + std::min(doubled, config.collect);
        return {question.wait(config, least), question.wait(config, most)};
    }
    Duration pause(const Config& config) const { return unready ? config.slot : config.check; }
    // As printed: inversely proportional to priority. Between c/80 and c/81 there is no time for a
    // message to pass.
    static Wait printed_delay(const Config& config, Key mine) {
        const std::int64_t priority = mine.attribute > 0 ? mine.attribute : number(mine.node);
        return exactly(config.slot / std::max<std::int64_t>(priority, 1));
    }
};

}  // namespace conclave::invitation
