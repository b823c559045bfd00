#include "node/mutexes.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

namespace conclave::node {

std::optional<Tenure> Mutexes::stay(const std::string& group) const {
    const Place& place = places_.at(group);
    if (!place.entered) return std::nullopt;
    const Instant now = place.group->now();
    const auto until = place.group->machine().inside(now);
    if (!until) return std::nullopt;
    return Tenure{Epoch{place.stays}, *place.entered, std::min(*until, now + silence_)};
}

Section Mutexes::section(const std::string& group) const {
    if (stay(group)) return Section::inside;
    return places_.at(group).asked ? Section::waiting : Section::outside;
}

void Mutexes::want(const std::string& group, bool wanted) {
    Place& place = places_.at(group);
    place.wanted = wanted;
    settle_soon(place);
}

void Mutexes::leave(const std::string& group) {
    Place& place = places_.at(group);
    if (!std::exchange(place.entered, std::nullopt)) return;
    static_cast<void>(place.group->ask(Leave{}));
    settle_soon(place);
}

void Mutexes::told(const std::string& group, const Told& notice) {
    Place& place = places_.at(group);
    if (std::holds_alternative<Entered>(notice)) {
        place.asked = false;
        place.entered = place.group->now();
        ++place.stays;
        settle_soon(place);
    } else if (std::holds_alternative<Ousted>(notice)) {
        place.entered.reset();
        settle_soon(place);
    } else if (const auto* died = std::get_if<HolderDied>(&notice)) {
        log_.log(Level::warning, "somebody died inside: what it did there may be half done",
                 {{"group", group}, {"node", office_.name_of(died->node)}});
    }
}

void Mutexes::settle() {
    for (auto& [name, place] : places_) settle_soon(place);
}

void Mutexes::close() {
    closed_ = true;
    settle();
}

void Mutexes::stop() { stopped_ = true; }

// The machine may be in the middle of a step, and whoever gives up a stay about to say that nobody
// wants another.
void Mutexes::settle_soon(Place& place) {
    boost::asio::post(loop_, [this, &place] { settle(place); });
}

void Mutexes::settle(Place& place) {
    if (stopped_ || !place.group->machine().booted()) return;
    const std::string& name = place.group->name();
    if (place.entered && !place.wanted) leave(name);
    if (!place.entered && place.wanted && !place.asked && !closed_) {
        place.asked = true;
        static_cast<void>(place.group->ask(Enter{}));
    }
    office_.changed(name);
}

}  // namespace conclave::node
