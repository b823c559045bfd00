// sim/ledger.h -- who asked, entered and left, when, and what it cost in time and fairness.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/section.h"
#include "core/types.h"

namespace conclave {

// What a run with a critical section came to, in units of message transmission.
struct Turns {
    std::uint64_t entries = 0;
    // From asking to entering, of those who asked while nobody else wanted to; the mean.
    std::optional<double> client_delay{};
    // From one's leaving to the next one's entering, where somebody waited; mean, least and most.
    std::optional<double> synchronization_delay{}, least_synchronization{}, most_synchronization{};
    double longest_wait = 0;
    std::uint64_t overtakings = 0;     // entries before somebody who had asked earlier
    std::optional<bool> order_kept{};  // no request overtook one that had happened before it
};

class Ledger {
public:
    enum class What : std::uint8_t { booted, crashed, asked, entered, left };
    struct Change {
        Instant at;
        std::uint32_t node = 0;
        What what{};
    };

    void open(std::size_t nodes) { desks_.resize(nodes); }
    void booted(Instant now, std::uint32_t node) { note(now, node, What::booted); }
    void crashed(Instant now, std::uint32_t node);
    void asked(Instant now, std::uint32_t node);
    void entered(Instant now, std::uint32_t node);
    void left(Instant now, std::uint32_t node);
    void overtook() { in_order_ = false; }

    Turns turns(bool order_followed) const;
    // What happened since the last look, for the applications that wait for it.
    std::vector<Change>& news() { return news_; }

private:
    struct Desk {
        Section section = Section::outside;
        Instant asked{};
        bool alone = false;  // nobody else wanted in while it waited
    };
    // Sum, count and extremes of a kind of delay.
    struct Delays {
        std::uint64_t count = 0;
        Duration sum{}, least = Duration::max(), most{};
        void add(Duration delay);
        std::optional<double> mean() const;
    };
    void note(Instant now, std::uint32_t node, What what) { news_.push_back({now, node, what}); }
    bool anybody(Section section) const;

    std::vector<Desk> desks_;
    std::vector<Change> news_;
    std::uint64_t entries_ = 0, overtakings_ = 0;
    Delays waits_, alone_, handovers_;
    std::optional<Instant> free_since_;  // left while somebody waited
    bool in_order_ = true;
};

}  // namespace conclave
