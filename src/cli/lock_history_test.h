// cli/lock_history_test.h -- for the tests: what clients noted of the locks they asked for and had,
// and a judge of it.
//
// All clients of a test run on one machine, so they read one clock (CLOCK_BOOTTIME) and their notes
// can be put in order. What a note claims must be true at the instant it bears, or the judge would
// see two holders where there never were:
//
//   granted  the clock was read after the lock was in the application's hands. Before that it could
//            not act under it. Whether it was still held then says the next note only: it may have
//            been paused on the way.
//   held     the clock was read *before* held() was asked, and that said yes, at a later reading.
//            What is lost is never held again, so at that instant it was held as well.
//
// So a lock was held from `granted` to the last `held`, both included, and by a client without such
// a note never. The true holding ends later, at most by the time between two notes: an overlap that
// is shorter can escape the judge, and none that it sees is an accident of the notes. Each note is
// one write to the system: what a client noted before it was killed is there.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conclave/client.hpp"
#include "core/types.h"

namespace conclave {

struct LockGrant {
    std::string noted;  // the file and the line in it
    std::string lock;
    LockTerms terms;
    FencingToken token;
    Instant from;
    std::optional<Instant> until{};  // none: it never held it
};

struct LockWait {
    std::string noted;
    std::string lock;
    Instant asked;
    std::optional<Instant> answered{};  // granted, or told that it is not
    bool killed = false;                // the client, while it waited
};

struct LockHistory {
    std::vector<LockGrant> grants;
    std::vector<LockWait> waits;
};

struct Calm {  // nothing is done to anybody after this: then nobody waits longer
    Instant since;
    Duration patience{};
};

// What the history breaks of what is promised; empty: nothing.
std::vector<std::string> broken_by(const LockHistory& history, const Calm& calm);

// Adds the notes of one life of one client: a line per note, "CLOCK WORD...", as chaos/client.cc
// writes them. `killed`: how that life ended.
void read_notes(const std::filesystem::path& file, bool killed, LockHistory& history);

}  // namespace conclave
