// net/complaints.h -- what goes wrong with links, said once per change of reason and not per try.
#pragma once
#include <string>
#include <string_view>

#include "core/types.h"
#include "net/log.h"

namespace conclave::net {

class Complaints {
public:
    explicit Complaints(LogSink& log) : log_(log) {}

    struct Place {
        std::string peer, address;
    };

    // `last` is the reason that was logged last in this matter.
    void of_peer(std::string& last, std::string_view event, const Place& place,
                 const std::string& why);

    // About whoever connected to us, also in a peer's name. They choose their reasons themselves,
    // so besides there is at most one line a second; one that is passed over comes with a later
    // try.
    void of_visitor(std::string& last, const Place& place, const std::string& why);
    void of_stranger(const std::string& address, const std::string& why);
    void of_client(const std::string& address, const std::string& why);  // of the HTTP server

private:
    bool worth_saying(const std::string& last, const std::string& why);

    LogSink& log_;
    std::string last_of_strangers_, last_of_clients_;
    Instant spoke_{};
};

}  // namespace conclave::net
