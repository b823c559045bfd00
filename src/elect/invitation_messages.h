// elect/invitation_messages.h -- what the nodes of the invitation algorithm say to each other, and
// what they wait for.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "core/node_set.h"
#include "elect/definition.h"

namespace conclave::invitation {

// A group's number: who formed it and coordinates it, and that node's own durable counter. Made
// anew whenever the group changes, and never used twice.
using Group = Run;

// Check (listing 10.23): a coordinator looks for other groups, and after its own participants.
struct AreYouCoordinator {
    Group group;
    Nonce nonce;
    Key key;
};
enum class Post : std::uint8_t {
    coordinator,  // of another group, at work: may be invited
    busy,         // coordinator, but forming its group just now
    yours,        // a participant of the group that asks
    participant,  // of another group
};
struct CoordinatorAnswer {  // the listing's AYC_answer
    Group asked;            // group and nonce of the question
    Nonce nonce;
    Post post{};
    Key key;
    std::optional<NodeId> coordinator;  // a participant may name its own
};

// Timeout (10.24): a participant looks after its coordinator.
struct AreYouThere {
    Group group;
    Nonce nonce;
};
struct ThereAnswer {  // AYT_answer
    Group group;
    Nonce nonce;
    bool there = false;
    Key key;
};

// Merge (10.26): the coordinator of a new group asks others in; a coordinator that is asked passes
// it on to its own participants, as it came.
struct Invite {  // the listing's Invitation
    Group group;
    Key key;            // of the one who invites
    Group lost;         // the group it was in before it became a coordinator
    bool slow = false;  // it has learnt to be patient: so must be who follows it
};
struct Accept {
    Group group;
    Nonce nonce;
};
struct AcceptAnswer {
    Group group;
    Nonce nonce;
    bool accepted = false;
};
struct Ready {
    Definition definition;  // names the group and its members
};
struct ReadyAnswer {
    Group group;
    bool in_group = false;
};
struct Disband {  // you did not answer Ready: do not believe that you belong
    static constexpr bool repair = true;
    Group group;
};

using Message = std::variant<AreYouCoordinator, CoordinatorAnswer, AreYouThere, ThereAnswer, Invite,
                             Accept, AcceptAnswer, Ready, ReadyAnswer, Disband>;

// What a node is waiting for: always one thing, hence one timer.
enum class Phase : std::uint8_t {
    // A coordinator:
    idle,        // for its next Check
    checking,    // for answers to Check
    delaying,    // until it is its turn to merge
    inviting,    // for Accepts
    planning,    // for its application's plan
    confirming,  // for Ready_answers
    // A participant:
    following,  // until it looks after its coordinator again
    asking,     // for an AYT_answer
    accepting,  // for an Accept_answer, at work in the old group until it comes
    leaving,    // for an Accept_answer, the old group is left already
    joining,    // for Ready
    doubting,   // for an AYT_answer, because Ready is late
};
struct Over {  // that has taken long enough
    Phase phase{};
};

enum class Status : std::uint8_t { election, reorganization, normal };

constexpr Status status_of(Phase phase) {
    switch (phase) {
        case Phase::inviting:
        case Phase::leaving:
            return Status::election;
        case Phase::planning:
        case Phase::confirming:
        case Phase::joining:
        case Phase::doubting:
            return Status::reorganization;
        default:
            return Status::normal;
    }
}

struct Formed {  // a number was taken for a new group
    Group group;
};

}  // namespace conclave::invitation
