// detect/detection.h -- the detection problem: what is told, and what must hold of it.
//
// An unreliable detector says Suspected and Trusted, and may be wrong both ways. A reliable one
// says Failed, and is right: that needs known bounds on messages and steps.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/property.h"
#include "core/protocol.h"

namespace conclave {

// A node spoke that a reliable detector had declared failed: the bounds that it was given are
// wrong. An alarm for people; the verdict stands.
struct BoundBroken {
    NodeId node{};
};

// Who thought what of whom, and since when (in true time).
struct VerdictHistory {
    struct Entry {
        Instant at;
        NodeId observer, subject;
        bool suspected;
    };
    std::vector<Entry> entries;

    void observe(Instant now, NodeId by, Suspected of) { add(now, by, of.node, true); }
    void observe(Instant now, NodeId by, Failed of) { add(now, by, of.node, true); }
    void observe(Instant now, NodeId by, Trusted of) { add(now, by, of.node, false); }
    void observe(Instant now, NodeId by, Restarted of) { add(now, by, of.node, false); }

private:
    void add(Instant now, NodeId by, NodeId of, bool suspected) {
        entries.push_back({now, by, of, suspected});
    }
};

namespace detection {

template <class P>
bool cut_off(const View<P>& view, const Standing<P>& from, const Standing<P>& to) {
    return view.cuts.contains(from.node, to.node);
}

// Strong completeness: who is down is suspected by everybody who is up.
template <class P> std::optional<std::string> complete(const View<P>& view) {
    for (const auto& observer : view.nodes) {
        for (const auto& subject : view.nodes) {
            if (!observer.up || subject.up || observer.state->suspects(subject.node)) continue;
            return std::to_string(number(observer.node)) + " takes " +
                   std::to_string(number(subject.node)) + " for alive, which is down";
        }
    }
    return std::nullopt;
}

// Eventual accuracy: nobody who is up and can be heard is suspected.
template <class P> std::optional<std::string> accurate(const View<P>& view) {
    for (const auto& observer : view.nodes) {
        for (const auto& subject : view.nodes) {
            if (!observer.up || !subject.up || cut_off(view, subject, observer)) continue;
            if (!observer.state->suspects(subject.node)) continue;
            return std::to_string(number(observer.node)) + " suspects " +
                   std::to_string(number(subject.node)) + ", which is up";
        }
    }
    return std::nullopt;
}

}  // namespace detection

}  // namespace conclave
