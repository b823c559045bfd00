// check/expedition.h -- from one state to all that can come next.
//
// First what must happen sooner or later: packets arrive, timers fire, the oracle speaks, time
// passes. Then what may happen: wishes of applications, and faults as far as their budgets last.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "check/choice.h"
#include "check/landscape.h"
#include "check/stock.h"

namespace conclave {

struct Rules {
    bool fifo = false;      // links keep the order of what they carry
    bool oracle = true;     // there is one
    bool reliable = false;  // and it says Failed, after the dead node's last words
    bool bounded_time = false;
    bool settles = false;      // at the end of time all must be settled
    std::uint32_t flight = 0;  // at most so many packets at once; 0: any number
    bool reduce = false;       // ways may sleep
};

// A scout that can say what it did.
class Guide : public Scout {
public:
    // The choices behind the ways of the fan, one for each.
    virtual std::vector<Choice> expand_and_tell(Code state, Fan& fan) = 0;
};

// `requests`: how many the plan has, that anybody may make. `boots`: who does, at the start.
std::unique_ptr<Guide> make_guide(Stock& stock, const Rules& rules, std::size_t requests,
                                  std::vector<bool> boots, std::unique_ptr<Opinions> opinions);

}  // namespace conclave
