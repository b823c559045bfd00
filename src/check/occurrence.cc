// check/occurrence.cc -- a happening as the fault or wish that the world plays.
#include "check/occurrence.h"

#include <algorithm>
#include <cassert>

namespace conclave {

namespace {

Attribute beyond_all(const MemberList& members, bool above) {
    Attribute least = 0, most = 0;
    for (const Member& member : members) {
        least = std::min(least, member.priority);
        most = std::max(most, member.priority);
    }
    return above ? most + 1 : least - 1;
}

}  // namespace

Fault fault_of(Occurrence what, std::uint32_t at, const MemberList& members, const Wishes& wishes) {
    const NodeId self = members[at].node;
    const auto peer = [&] { return members[what.peer()].node; };
    switch (what.what()) {
        case Happening::crash:
            return fault::Crash{self, false};
        case Happening::restart:
            return fault::Restart{self, false};
        case Happening::amnesia:
            return fault::Restart{self, true};
        case Happening::pause:
            return fault::Pause{self};
        case Happening::resume:
            return fault::Resume{self};
        case Happening::fail:
            return fault::Fail{self, peer()};
        case Happening::suspect:
            return fault::Suspect{self, peer()};
        case Happening::trust:
            return fault::Trust{self, peer()};
        case Happening::restarted:
            return fault::Restarted{self, peer()};
        case Happening::rise:
            return fault::Attribute{self, beyond_all(members, true)};
        case Happening::sink:
            return fault::Attribute{self, beyond_all(members, false)};
        case Happening::ask:
            return fault::Ask{self, wishes.requests[what.argument()]};
        case Happening::begin:
            return fault::Ask{self, wishes.own};
        case Happening::leave:
            return fault::Ask{self, "Leave"};
        case Happening::expire:
        case Happening::tick:
        case Happening::closed:
        case Happening::renumber:
            break;
    }
    assert(false && "no fault");
    return fault::Crash{self, false};
}

}  // namespace conclave
