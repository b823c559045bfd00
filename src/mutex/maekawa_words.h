// mutex/maekawa_words.h -- Maekawa's vocabulary: repairs, settings, messages.
#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/model.h"
#include "core/types.h"
#include "mutex/coterie.h"

namespace conclave::maekawa {

enum FixIndex : std::size_t {
    own_vote,
    own_queue,
    inquire,
    displaced_head,
    durable_vote,
    free_votes,
    step_back,
};
inline constexpr std::array fixes{
    Fix{"own-vote", "who wants to enter needs its own vote like any other (MXT-5a)"},
    Fix{"own-queue", "who leaves serves those who wait for its own vote (MXT-5b)"},
    Fix{"inquire", "a vote can be asked back for an earlier request (MXT-6, MXT-7)"},
    Fix{"displaced-head", "who is no longer next in a queue is told so (MXT-8)"},
    Fix{"durable-vote", "a vote is on disk before it is given: nobody votes twice"},
    Fix{"free-votes", "the votes of a node that died are free again (MX-04)"},
    Fix{"step-back", "who waits for a dead voter gives the others' votes back meanwhile"},
};

enum class Form : std::uint8_t {
    eager,   // who is asked for a vote back and is not inside gives it back at once
    failed,  // only if it knows that another voter has denied it
};
enum class Queues : std::uint8_t { ordered, arrival };

struct Config {
    FixSet fixes{};
    std::size_t nodes = 0;
    Duration hop{};  // the longest time of a message, handling included
    Sets sets = Sets::smallest;
    Coterie coterie{};
    Form form = Form::eager;
    Queues queues = Queues::ordered;
    bool reroute = true;  // who has a dead voter in its set asks another set
};

inline std::optional<std::string> refuse(const Config& config) {
    if (config.queues == Queues::arrival && config.fixes.has(inquire)) {
        return "votes are asked back for earlier requests: with inquire, queues are ordered";
    }
    return wrong_with(config.coterie, config.nodes);
}

using Clock = Counter<struct ClockTag>;  // Lamport's

struct Stamp {  // of a request: the smaller one goes first
    Clock clock;
    NodeId node{};
    friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

// A message names a request by its clock; whose it is, the envelope says.
struct Ask {  // the source's REQUEST: may I have your vote?
    Clock clock;
};
struct Grant {  // you have it
    Clock clock;
};
struct Release {  // I need it no longer
    Clock clock;
};
struct Inquire {  // somebody asked before you: give it back, unless you are inside
    Clock clock;
    Incarnation life;  // of the voter: what was meant for a former life counts no more
};
struct Yield {  // have it, and keep me in your queue
    Clock clock;
    Incarnation life;
};
struct Denied {  // the source's FAILED: others go before you
    Clock clock;
};
struct Returned {  // I had crashed: what I asked up to then is void
    static constexpr bool repair = true;
    Clock clock;
};
using Message = std::variant<Ask, Grant, Release, Inquire, Yield, Denied, Returned>;

struct Observe {  // the application heard from a node with this clock
    Clock clock;
};

struct Inquiry {  // that I have not answered yet
    NodeId voter{};
    Incarnation life;
};

}  // namespace conclave::maekawa
