// service/lock_history.h -- what was told of locks so far, as far as properties look back; and the
// thing that the locks protect, for the history writes to it in each holder's name.
#pragma once
#include <algorithm>
#include <utility>

#include "mutex/mutex.h"
#include "service/lock_words.h"

namespace conclave::locks {

struct History {
    MutexHistory order;
    Small<std::pair<Name, Token>, 1> largest;  // that came into force, of each lock
    bool went_back = false;                    // one was not larger than all before
    bool wrote_late = false;                   // somebody wrote after a later holder had

    void overtook(NodeId winner, NodeId passed) { order.overtook(winner, passed); }
    // A holder writes as soon as it may.
    void observe(NodeId, const Granted& granted) {
        Token& known = largest_of(granted.lock);
        went_back = went_back || granted.token <= known;
        known = std::max(known, granted.token);
    }
    // And once more when it is told to stop: too late, if it was slow to hear of it.
    void observe(NodeId, const Lost& lost) {
        wrote_late = wrote_late || lost.token < largest_of(lost.lock);
    }

private:
    Token& largest_of(const Name& lock) {
        for (auto& [name, token] : largest) {
            if (name == lock) return token;
        }
        largest.push_back({lock, {}});
        return largest.back().second;
    }
};

}  // namespace conclave::locks
