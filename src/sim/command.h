// sim/command.h -- the commands of a script.
//
//     [at T]                         at this time, from here on; alone: nothing else happens
//     deliver 1>2 [MESSAGE]          the first such message in the order sent; its whole text, the
//     lose 1>2 [MESSAGE]             name of its type, or any. `life 2`: from that life of its
//     duplicate 1>2 [MESSAGE]        sender
//     deliver all | lose all         until nothing is in flight
//     expire 3 TIMER                 now, whenever it is due
//     crash 3 [torn]                 torn: at its next save instead
//     restart 3 [amnesia]            amnesia: the disk is lost
//     pause 3 | resume 3
//     cut 1>2 | cut 1-2              one direction | both
//     heal 1>2 | heal 1-2 | heal all
//     partition 1,2|3,4              beside what is cut already
//     call 3 | ask 3 REQUEST         Campaign | anything the algorithm understands
//     whisper 1 4                    1's application tells 4's, past the algorithm
//     suspect 1 4 | trust 1 4 | fail 1 4 | restarted 1 4      1 is told by its detector about 4
//     attribute 3 -200 | drift 3 1000 (ppm)
//     run [T] | run until settled    what is due happens: for T units, or until all is quiet
//     show [3] | leaders | counts | counts clear | pending | check
//     events off | events on         whether `run` tells every step or only its end
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/members.h"
#include "sim/adversary.h"

namespace conclave {

namespace command {
struct Pick {
    NodeId from{}, to{};
    std::string message{};              // empty: any
    std::optional<Incarnation> life{};  // nothing: any
};
struct Deliver {
    std::optional<Pick> pick{};  // nothing: all
};
struct Lose {
    std::optional<Pick> pick{};
};
struct Duplicate {
    Pick pick;
};
struct Expire {
    NodeId node{};
    std::string timer;
};
struct Play {
    std::vector<Fault> faults;
};
struct HealAll {};
struct Run {
    std::optional<Duration> length{};
    bool until_settled = false;
};
struct Show {
    std::optional<NodeId> node{};
};
struct Leaders {};
struct Tally {
    bool clear = false;
};
struct Pending {};
struct Check {};
struct Events {
    bool on = true;
};
struct Nothing {};
}  // namespace command

struct Command {
    std::optional<Instant> at{};
    std::variant<command::Nothing, command::Deliver, command::Lose, command::Duplicate,
                 command::Expire, command::Play, command::HealAll, command::Run, command::Show,
                 command::Leaders, command::Tally, command::Pending, command::Check,
                 command::Events>
        what{};
};

// Reads a line into `into`. Says what is wrong with it, or nothing.
std::optional<std::string> read_command(std::string_view line, const std::vector<Member>& members,
                                        Command& into);

}  // namespace conclave
