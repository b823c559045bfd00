#include "node/journal.h"

#include <algorithm>
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
    const auto recent = entries_.end() - std::min<std::ptrdiff_t>(cycle, std::ssize(entries_));
    const auto same = std::find_if(recent, entries_.end(),
                                   [&](const Entry& one) { return alike(one.moment, moment); });
    if (same != entries_.end()) {
        ++same->times;
        same->last = at;
        std::rotate(same, same + 1, entries_.end());
        return;
    }
    if (entries_.size() == most) entries_.erase(entries_.begin());
    entries_.push_back({std::move(moment), 1, at});
}

void Journal::unsettle() {
    if (std::exchange(settled_, false)) reason_ = trigger_;
}

Cause Journal::cause(Instant now) const {
    Cause cause{settled_ ? trigger_ : reason_, {}};
    for (const Entry& entry : entries_) {
        cause.lines.push_back({now - entry.last, entry.times, describe(entry.moment)});
    }
    return cause;
}

void Journal::settle() {
    entries_.clear();
    settled_ = true;
}

}  // namespace conclave::node
