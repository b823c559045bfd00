// net/server_sent_events.h -- the text of server-sent events (WHATWG HTML, 9.2), both ways.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace conclave::net {

struct ServerEvent {
    std::string id;    // empty: it has none, and the last one stays
    std::string name;  // empty: "message"
    std::string data;  // any number of lines
};

// `id` and `name` must be one line each.
std::string event_text(const ServerEvent& event);

class EventReader {
public:
    // An event larger than the limit is an error: the sender is not one of ours.
    explicit EventReader(std::size_t limit) : limit_(limit) {}

    // Calls on_event for each event that is complete; false if one is too large.
    [[nodiscard]] bool feed(std::string_view text,
                            const std::function<void(const ServerEvent&)>& on_event);
    const std::string& last_id() const { return last_id_; }

private:
    void take_line(std::string_view line, const std::function<void(const ServerEvent&)>& on_event);

    std::size_t limit_;
    std::string line_;           // not yet ended
    bool after_return_ = false;  // "\r\n" is one end of line, also when it is cut in two
    ServerEvent event_;
    bool has_data_ = false;
    std::string last_id_;
};

}  // namespace conclave::net
