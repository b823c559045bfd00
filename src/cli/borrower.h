// cli/borrower.h -- runs a command while a node lends us something: the lead of a group, or a stay
// in a mutex. The command's group is dead before that can be another's.
#pragma once
#include <boost/json/value.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/node_session.h"
#include "cli/way.h"

namespace conclave {

struct BorrowPlan {
    std::string view;  // where the node says something about it
    NodeSession::Loan loan;
    std::string lost;  // "lost the lead of billing"
    std::optional<Duration> wait, grace;
    bool at_once = false;  // not if another has it
    bool restart = false;  // after it was lost
    int busy = static_cast<int>(Exit::not_yet);
    std::vector<std::string> command;  // none: hold it until the end of input, and print `held`
    std::string held{};

    // What the view says about it.
    struct Prospect {
        std::optional<Duration> term;  // how long it is lent for; nothing: it is not, and
        std::string never{};           //   why
        std::string taken{};           // who has it, as a complaint; empty: nobody that we know of
        bool ours = false;             // it is at this node already, and need not be waited for
    };
    std::function<Prospect(const boost::json::value& view)> judge;

    using Variables = std::vector<std::pair<std::string, std::string>>;
    std::function<Variables(std::uint64_t number)> variables;  // of the command, besides its node's
};

// The command's own exit code, if it ended by itself.
Exit borrow(Way way, BorrowPlan plan);

}  // namespace conclave
