// net/links_letters.cc -- what goes over links that are up, and when it is looked for.
#include <algorithm>
#include <cassert>
#include <functional>

#include "net/clock.h"
#include "net/switchboard.h"

namespace conclave::net {

void Links::Switchboard::send(NodeId to, std::uint32_t group, ByteView message, Hurry hurry) {
    Contact* const contact = find(to);
    assert(contact);
    if (contact->link)
        contact->link->send(group, message, hurry);
    else
        ++contact->past.dropped;
}

// The oldest first: for those who hear it, time does not go back.
void Links::Switchboard::look(const Link* but) {
    assert(!telling_ && fetched_.empty());
    looked_ = now();
    for (auto& [id, contact] : contacts_) {
        if (!contact.link || contact.link.get() == but) continue;
        if (const auto waited = contact.link->fetch()) fetched_.push_back({*waited, contact.link});
    }
    std::ranges::sort(fetched_, std::greater(), &Fetched::waited);
    for (const Fetched& one : fetched_) one.link->digest();
    fetched_.clear();
}

// A question to the kernel per link: those who are awake all the time do not ask at every letter.
bool Links::Switchboard::rested() const {
    constexpr Duration often = std::chrono::milliseconds(5);
    return now() - looked_ >= often;
}

void Links::Switchboard::look_now_and_then() {
    if (rested()) look();
}

// After a rest everything that has come is looked at together, and answered together.
void Links::Switchboard::woken(Link& link) {
    if (!rested()) return link.receive();
    gather();
    look(&link);
    if (!link.closed()) link.receive();
    flush();
}

void Links::Switchboard::gather() {
    assert(!gathering_);
    gathering_ = true;
}

void Links::Switchboard::flush() {
    gathering_ = false;
    for (auto& [id, contact] : contacts_) {
        if (const auto link = contact.link) link->flush_due();  // and may be the contact's no more
    }
}

void Links::Switchboard::arrived(Link& link, const wire::Letter& letter, Duration waited) {
    telling_ = true;
    events_.arrived(*link.peer, letter.group, letter.message, waited);
    telling_ = false;
}

}  // namespace conclave::net
