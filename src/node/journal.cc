#include "node/journal.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/print.h"

namespace conclave::node {

namespace {

bool happens_to_us(Moment::What what) {
    return what != Moment::What::sent && what != Moment::What::told && what != Moment::What::saved;
}
bool alike(const Moment& a, const Moment& b) {
    return a.what == b.what && a.name == b.name && a.peers == b.peers && a.text == b.text;
}
std::string list(const NodeSet& nodes) {
    std::string text;
    for (NodeId node : nodes) text += (text.empty() ? "" : ", ") + to_text(node);
    return text;
}

}  // namespace

std::string describe(const Moment& moment) {
    const std::string name(moment.name);
    switch (moment.what) {
        case Moment::What::booted:
            return "started";
        case Moment::What::received:
            return "received " + name + " from " + list(moment.peers);
        case Moment::What::expired:
            return name + " ran out";
        case Moment::What::asked:
            return "was asked to " + name;
        case Moment::What::verdict:
            return "the detector says: " + name + " " + list(moment.peers);
        case Moment::What::reported:
            return moment.text;
        case Moment::What::sent:
            return "sent " + name + " to " + list(moment.peers);
        case Moment::What::told:
            return "told " + moment.text;
        case Moment::What::saved:
            return "wrote its record to disk";
    }
    return name;
}

void Journal::note(Instant at, Moment moment) {
    if (happens_to_us(moment.what)) trigger_ = moment.name;
    if (!settled_ && reason_.empty()) reason_ = trigger_;
    constexpr std::ptrdiff_t cycle = 8;  // of a renewal or a check: no more steps than these
    const auto recent = order_.end() - std::min<std::ptrdiff_t>(cycle, std::ssize(order_));
    const auto same = std::find_if(recent, order_.end(), [&](std::uint8_t place) {
        return alike(entries_[place].moment, moment);
    });
    if (same == order_.end()) {
        fresh_entry() = {std::move(moment), 1, at};
        return;
    }
    Entry& entry = entries_[*same];
    ++entry.times;
    entry.last = at;
    std::rotate(same, same + 1, order_.end());
}

// The last in the order; if there are as many as may be, in place of the first.
Journal::Entry& Journal::fresh_entry() {
    static_assert(most <= std::numeric_limits<std::uint8_t>::max());
    if (entries_.size() == most) {
        std::rotate(order_.begin(), order_.begin() + 1, order_.end());
    } else {
        order_.push_back(static_cast<std::uint8_t>(entries_.size()));
        entries_.emplace_back();
    }
    return entries_[order_.back()];
}

void Journal::unsettle() {
    if (std::exchange(settled_, false)) reason_ = trigger_;
}

Cause Journal::cause(Instant now) const {
    Cause cause{std::string(settled_ ? trigger_ : reason_), {}};
    for (const std::uint8_t place : order_) {
        const Entry& entry = entries_[place];
        cause.lines.push_back({now - entry.last, entry.times, describe(entry.moment)});
    }
    return cause;
}

void Journal::settle() {
    entries_.clear();
    order_.clear();
    settled_ = true;
}

}  // namespace conclave::node
