// mutex/path_list.h -- a waiting list made of pointers, as one node sees its end of it.
//
// Nobody has the list. Each who waits knows who comes next; everybody has a guess at who is last.
// A request goes from guess to guess, and all who pass it on guess its origin from then on: it will
// be last, which no older guess can say of itself.
#pragma once
#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "core/table.h"
#include "core/types.h"

namespace conclave {

struct PathList {
    std::optional<NodeId> dir;    // my guess; nobody: I am last myself
    std::optional<NodeId> next;   // who gets the token after me
    bool token = false;           // I have it
    Round asked{};                // my requests so far
    Table<NodeId, Round> passed;  // the last request of each origin that came by

    // The list is empty and `root` has the token, or will.
    void begin(NodeId self, NodeId root) {
        dir = root == self ? std::nullopt : std::optional(root);
        next.reset();
        token = false;
        passed.clear();
    }
    // I am last from now on. Whom to tell.
    NodeId join() {
        asked = asked.next();
        return *std::exchange(dir, std::nullopt);
    }
    // Whether this request was here before. An origin asks again only after its turn, so whatever
    // is not newer is a copy.
    bool is_copy(NodeId origin, Round number) {
        Round& last = passed[origin];
        const bool copy = number <= last;
        last = std::max(last, number);
        return copy;
    }
    // It comes after me, or whoever knows better is to be asked.
    std::optional<NodeId> line_up(NodeId origin) {
        if (!dir) {
            assert(!next);  // only the last one gets a follower, and is last no more
            next = origin;
            dir = origin;
            return std::nullopt;
        }
        return std::exchange(*dir, origin);
    }
    // I do not need the token. Who gets it, if I have it and anybody waits.
    std::optional<NodeId> hand_over() {
        if (!token || !next) return std::nullopt;
        token = false;
        return std::exchange(next, std::nullopt);
    }
};

}  // namespace conclave
