// elect/garcia_molina_messages.h -- what the nodes of Garcia-Molina's election are in, say to each
// other, and wait for.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "elect/definition.h"

namespace conclave::garcia_molina {

enum class Status : std::uint8_t {
    down,            // back from a crash, and no election has begun yet
    election,        // nobody is defined to lead
    reorganization,  // somebody is; the common state is being handed out
    normal,          // at work
};

// Which of its own questions a node waits T for: there is never more than one.
enum class Phase : std::uint8_t {
    idle,
    probe,            // Coordinator_Timeout: does my coordinator live?
    check,            // Check: are all at work under me?
    ask_higher,       // Election: does anybody above me live?
    halt,             //   does anybody below me?
    set_coordinator,  //   do they take me?
    new_state,        //   do they know what to work on?
};

struct AreYouUp {
    Nonce nonce;
    std::optional<Key> candidate;  // is anybody above this one? Without: I look after my leader
};
struct UpAnswer {
    Nonce nonce;
    Status status{};
    Run run;
};
struct AreYouNormal {
    Nonce nonce;
    Run run;
};
struct NormalAnswer {
    Nonce nonce;
    bool normal = false;
};
struct EnterElection {  // to those below me: stop working
    Run run;
    Key rank;  // the organiser's in this run
};
struct EnterAnswer {
    Run run;
    Epoch epoch;  // the newest I know of: yours must be newer
};
struct SetCoordinator {  // nobody works any more: it is me
    Run run;
    Epoch epoch;
};
struct SetAnswer {
    Run run;
};
struct NewState {  // and this is what we work on
    Definition definition;
};
struct StateAnswer {
    Run run;
};
struct Rejected {  // I am not yours
    static constexpr bool repair = true;
    Run run;
};
using Message =
    std::variant<AreYouUp, UpAnswer, AreYouNormal, NormalAnswer, EnterElection, EnterAnswer,
                 SetCoordinator, SetAnswer, NewState, StateAnswer, Rejected>;

struct Late {};  // T is over: who has not answered is dead
struct Look {};  // time to look after those I lead, the one I follow, the one who halted me
using Timer = std::variant<Late, Look>;

struct StatusIs {  // told at every change
    Status status{};
    Run run;  // in whose course
};

}  // namespace conclave::garcia_molina
