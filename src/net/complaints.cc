// net/complaints.cc -- the same reason twice is one line.
#include "net/complaints.h"

#include "net/clock.h"

namespace conclave::net {
namespace {

constexpr Duration silence = std::chrono::seconds(1);

}  // namespace

void Complaints::of_peer(std::string& last, std::string_view event, const Place& place,
                         const std::string& why) {
    if (why == last) return;
    last = why;
    log_.log(Level::warning, event,
             {{"peer", place.peer}, {"address", place.address}, {"why", why}});
}

bool Complaints::worth_saying(const std::string& last, const std::string& why) {
    const Instant time = now();
    if (why == last || time - spoke_ < silence) return false;
    spoke_ = time;
    return true;
}

void Complaints::of_visitor(std::string& last, const Place& place, const std::string& why) {
    if (worth_saying(last, why)) of_peer(last, "visitor is refused", place, why);
}

void Complaints::of_stranger(const std::string& address, const std::string& why) {
    of_visitor(last_of_strangers_, {"unknown", address}, why);
}

void Complaints::of_client(const std::string& address, const std::string& why) {
    if (!worth_saying(last_of_clients_, why)) return;
    last_of_clients_ = why;
    log_.log(Level::warning, "client is refused", {{"address", address}, {"why", why}});
}

}  // namespace conclave::net
