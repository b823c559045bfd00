// detect/detection.h -- the detection problem: what is told, and what must hold of it.
//
// A detector is one local object per node that answers "has p failed?". An unreliable one says
// Suspected and Trusted, and may be wrong both ways. A reliable one says Failed, and is right: that
// needs known bounds on messages, steps and clocks.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/property.h"
#include "core/protocol.h"

namespace conclave {

// What a detector thinks of a peer.
enum class Status : std::uint8_t {
    unsuspected,
    suspected,  // an opinion
    failed,     // a verdict, final for this life of the peer
    disproved,  // the verdict stands, but the peer spoke: the bounds are wrong
};

// A node spoke that a reliable detector had declared failed: the bounds that it was given are
// wrong. An alarm for people, once; the verdict stands.
struct BoundBroken {
    NodeId node{};
};
// We were late ourselves by so much: a pause, or too much to do. Nobody else is blamed for it.
struct Slept {
    Duration late{};
};

// Who thought what of whom, and since when (in true time). It is measured; no property looks at it.
struct VerdictHistory {
    static constexpr bool judged = false;

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

// Nobody's number may stop our clockwork, nor make us wait for years.
constexpr bool usable(Duration length) {
    return length > Duration{} && length <= std::chrono::hours(1);
}

inline std::string sentence(NodeId observer, std::string_view verb, NodeId subject,
                            std::string_view rest) {
    return std::to_string(number(observer)) + std::string(verb) + std::to_string(number(subject)) +
           std::string(rest);
}

// Strong completeness: who is down is suspected by everybody who is up.
template <class P> std::optional<std::string> complete(const View<P>& view) {
    for (const auto& observer : view.nodes) {
        for (const auto& subject : view.nodes) {
            if (!observer.up || subject.up || observer.state->peers.suspects(subject.node))
                continue;
            return sentence(observer.node, " takes ", subject.node, " for alive, which is down");
        }
    }
    return std::nullopt;
}

// Accuracy: nobody who is up and whose messages get through is suspected.
template <class P> std::optional<std::string> accurate(const View<P>& view) {
    for (const auto& observer : view.nodes) {
        for (const auto& subject : view.nodes) {
            if (!observer.up || !subject.up || !observer.state->peers.suspects(subject.node))
                continue;
            if (!P::reaches(view, subject, observer)) continue;
            return sentence(observer.node, " suspects ", subject.node, ", which is up");
        }
    }
    return std::nullopt;
}

// Failed is true: whoever is declared failed is down, or back in a life that the observer has not
// heard of yet.
template <class P> std::optional<std::string> failed_is_true(const View<P>& view) {
    for (const auto& observer : view.nodes) {
        if (!observer.up) continue;
        for (const auto& subject : view.nodes) {
            const auto* peer = subject.up ? observer.state->peers.find(subject.node) : nullptr;
            if (!peer || peer->status < Status::failed) continue;
            if (peer->incarnation != subject.state->incarnation) continue;
            return sentence(observer.node, " declares ", subject.node, " failed, which lives");
        }
    }
    return std::nullopt;
}

}  // namespace detection

}  // namespace conclave
