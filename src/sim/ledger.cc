// sim/ledger.cc -- keeps the books of the critical section.
#include "sim/ledger.h"

#include <algorithm>

#include "sim/unit.h"

namespace conclave {

void Ledger::Delays::add(Duration delay) {
    ++count;
    sum += delay;
    least = std::min(least, delay);
    most = std::max(most, delay);
}

std::optional<double> Ledger::Delays::mean() const {
    if (count == 0) return std::nullopt;
    return in_units(sum) / static_cast<double>(count);
}

bool Ledger::anybody(Section section) const {
    return std::ranges::any_of(desks_, [&](const Desk& one) { return one.section == section; });
}

void Ledger::crashed(Instant now, std::uint32_t node) {
    Desk& desk = desks_[node];
    if (desk.section == Section::inside) free_since_.reset();  // no hand-over, a recovery
    desk.section = Section::outside;
    note(now, node, What::crashed);
}

void Ledger::asked(Instant now, std::uint32_t node) {
    bool alone = true;
    for (Desk& other : desks_) {
        if (other.section == Section::outside) continue;
        other.alone = alone = false;
    }
    desks_[node] = {Section::waiting, now, alone};
    note(now, node, What::asked);
}

void Ledger::entered(Instant now, std::uint32_t node) {
    Desk& desk = desks_[node];
    desk.section = Section::inside;
    ++entries_;
    waits_.add(now - desk.asked);
    if (desk.alone) alone_.add(now - desk.asked);
    if (free_since_) handovers_.add(now - *free_since_);
    free_since_.reset();
    const bool overtakes = std::ranges::any_of(desks_, [&](const Desk& other) {
        return other.section == Section::waiting && other.asked < desk.asked;
    });
    overtakings_ += overtakes;
    note(now, node, What::entered);
}

void Ledger::left(Instant now, std::uint32_t node) {
    desks_[node].section = Section::outside;
    if (anybody(Section::waiting)) free_since_ = now;
    note(now, node, What::left);
}

Turns Ledger::turns(bool order_followed) const {
    Turns turns{.entries = entries_,
                .client_delay = alone_.mean(),
                .synchronization_delay = handovers_.mean(),
                .longest_wait = in_units(waits_.most),
                .overtakings = overtakings_};
    if (handovers_.count > 0) {
        turns.least_synchronization = in_units(handovers_.least);
        turns.most_synchronization = in_units(handovers_.most);
    }
    if (order_followed) turns.order_kept = in_order_;
    return turns;
}

}  // namespace conclave
