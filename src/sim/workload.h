// sim/workload.h -- the applications of a run: how often they want in, how long they stay.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/members.h"
#include "sim/adversary.h"
#include "sim/dice.h"
#include "sim/ledger.h"
#include "sim/unit.h"

namespace conclave {

struct Workload {
    std::uint32_t requests = 1;  // by each who asks
    Duration hold_least = unit, hold_most = unit;
    Duration think_least{}, think_most{};  // between leaving and asking again
    // At most so many want in at once, drawn anew for each request; 0: everybody for itself.
    std::uint32_t contention = 0;
    std::vector<NodeId> askers{};  // empty: all
    // The chance that whoever asks tells somebody else of it, past the algorithm.
    double whispers = 0;

    // What the requests add to the time a run may take, if handing over takes `turn`.
    Duration longest(std::size_t nodes, Duration turn) const {
        const auto asking = static_cast<std::int64_t>(askers.empty() ? nodes : askers.size());
        return asking * requests * (hold_most + think_most + turn);
    }
};

// They ask, stay a while, leave, and ask again. A node that crashes loses its open request; when it
// is back it goes on with the rest.
class Customers {
public:
    Customers(const Workload& workload, const std::vector<Member>& members, std::uint64_t seed);

    Instant next_due() const;
    // What an application does next, unless that has become pointless.
    std::optional<Fault> take();
    void hear(const Ledger::Change& change);
    // Nobody who is up wants in, or will.
    bool done() const;

private:
    struct Customer {
        bool asks = false;
        bool up = false;
        bool pending = false;  // it has a wish to enter
        Section section = Section::outside;
        std::uint32_t left = 0;     // requests it will still make
        std::uint32_t version = 0;  // a wish of an older one is pointless
    };
    struct Wish {
        enum class What : std::uint8_t { enter, leave, whisper };
        Instant due;
        std::uint64_t order = 0;
        What what{};
        std::uint32_t node = 0, version = 0;
        std::uint32_t to = 0;  // of a whisper
        friend bool operator<(const Wish& a, const Wish& b) {
            return a.due != b.due ? a.due > b.due : a.order > b.order;
        }
    };
    void wish(Wish);
    void wish_to_enter(Instant now, std::uint32_t node);
    void whisper(Instant now, std::uint32_t node);
    void next_request(Instant now, std::uint32_t node);
    void fill(Instant now);
    bool idle(const Customer&) const;

    const Workload& workload_;
    const std::vector<Member>& members_;
    Dice dice_;
    std::vector<Customer> customers_;
    std::vector<std::uint32_t> askers_;
    std::vector<Wish> wishes_;
    std::uint64_t order_ = 0;
    std::uint64_t left_ = 0;  // with contention: requests still to be made by anybody
    std::uint32_t open_ = 0;  // and how many are open
};

}  // namespace conclave
