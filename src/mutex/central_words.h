// mutex/central_words.h -- the central server's vocabulary: requests, reigns, settings, messages.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "core/model.h"
#include "core/section.h"
#include "core/small.h"
#include "core/types.h"

namespace conclave::central {

enum FixIndex : std::size_t { rid, failures, census, promise, renumber, quiet_time };
inline constexpr std::array fixes{
    Fix{"rid", "requests are numbered: one is granted once, an unwanted grant is returned (MXT-2)"},
    Fix{"failures", "who is dead no longer holds, and no longer waits (MX-04, MXT-3)"},
    Fix{"census", "a new server serves nobody before all who live have said what they hold"},
    Fix{"promise", "who has answered a new server takes no grant of an older one (H4)"},
    Fix{"renumber", "a server with too low a number is told so: a bully's epochs may fall"},
    Fix{"quiet", "who is back asks for nothing until nobody believes it dead any more"},
};

struct Config {
    FixSet fixes{};
    std::uint32_t server = 0;  // where it is not elected; no member: the best of them
    bool causal = false;       // hold a request back until all that it knew of have come
    Duration quiet{};          // by then every detector has told of a return
    Duration round_trip{};
};

// Which request of a client. Its numbers end with its life, and begin again with the next.
struct Ticket {
    Incarnation life{};
    Round number{};
    friend auto operator<=>(const Ticket&, const Ticket&) = default;
};

// Of each client its latest request that somebody knows of; none: not a single one.
struct Past {
    struct Latest {
        NodeId client{};
        Ticket ticket{};
    };
    Small<Latest, 2> latest;

    Ticket of(NodeId client) const {
        const auto found = std::ranges::find(latest, client, &Latest::client);
        return found == latest.end() ? Ticket{} : found->ticket;
    }
    void add(NodeId client, Ticket ticket) {
        const auto found = std::ranges::find(latest, client, &Latest::client);
        if (found == latest.end()) return latest.push_back({client, ticket});
        found->ticket = std::max(found->ticket, ticket);
    }
    void add(const Past& other) {
        for (const Latest& one : other.latest) add(one.client, one.ticket);
    }
};

// What a server has before it: who wants in, or is in.
struct Wish {
    NodeId client{};
    Ticket ticket{};
    Past past{};  // what its client knew to have been requested; empty unless `causal`

    bool same(const Wish& other) const { return client == other.client && ticket == other.ticket; }
};

// A leadership of the server's own. An election's epochs may repeat or fall, these only grow:
// everybody is bound to the largest that it has heard of.
struct Reign {
    Epoch epoch{};
    NodeId server{};
    friend auto operator<=>(const Reign&, const Reign&) = default;
};

struct Request {  // to the server: may I?
    Epoch epoch;
    Ticket ticket;
    Past past;
};
struct Grant {  // you may
    Epoch epoch;
    Ticket ticket;
    std::optional<NodeId> died;  // inside, just before you
    Past known;                  // to its sender; empty unless `causal`, as in those below
};
struct Release {  // I am out again, or do not want what you granted
    Epoch epoch;
    Ticket ticket;
    Past known;
};
struct Census {  // I serve: what do you hold, what do you want?
    static constexpr bool repair = true;
    Epoch epoch;
    Past known;
};
struct Here {  // this, and no older server may grant me anything
    static constexpr bool repair = true;
    Epoch epoch;
    Section section;
    Ticket ticket;  // of the latest request
    Past past;      //   and what was known then
    Past known;
};
struct Outdated {  // I am bound to a larger reign than yours: if you lead, take a larger one still
    static constexpr bool repair = true;
    Reign reign;
};

struct Quiet {};  // by now everybody knows that I am back

}  // namespace conclave::central
