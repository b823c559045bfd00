// elect/invitation_question.h -- the last question a node has put, and its patience for answers.
#pragma once
#include <cstdint>

#include "core/types.h"
#include "elect/invitation_options.h"

namespace conclave::invitation {

// How long messages take is only said, not known. A node that sees an answer come late waits longer
// from then on; what comes later still was away, not slow.
struct Question {
    Nonce nonce;
    Instant since;
    bool slow = false;

    void put(Instant now) {
        nonce = nonce.next();
        since = now;
    }
    void repeat(Instant now) { since = now; }
    // Something has come that was said to take so long.
    void time(const Config& config, Instant now, Duration said) {
        const Duration took = now - since;
        const bool late = took > said && took <= config.slower * said;
        if (late && config.fixes.has(patience)) slow = true;
    }
    Duration wait(const Config& config, Duration said) const {
        return slow ? config.slower * said : said;
    }
};

}  // namespace conclave::invitation
