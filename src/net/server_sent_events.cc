#include "net/server_sent_events.h"

#include <cassert>
#include <utility>

namespace conclave::net {

std::string event_text(const ServerEvent& event) {
    assert(event.id.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    assert(event.name.find_first_of("\r\n") == std::string::npos);
    std::string text;
    if (!event.id.empty()) text += "id: " + event.id + '\n';
    if (!event.name.empty()) text += "event: " + event.name + '\n';
    text += "data: ";
    for (char c : event.data) {
        if (c == '\r') continue;  // it would end the line
        text += c;
        if (c == '\n') text += "data: ";
    }
    return text + "\n\n";
}

bool EventReader::feed(std::string_view text,
                       const std::function<void(const ServerEvent&)>& on_event) {
    for (char c : text) {
        bool second_half = std::exchange(after_return_, c == '\r') && c == '\n';
        if (second_half) continue;
        if (c == '\r' || c == '\n') {
            take_line(line_, on_event);
            line_.clear();
        } else {
            line_ += c;
        }
        if (line_.size() + event_.data.size() > limit_) return false;
    }
    return true;
}

void EventReader::take_line(std::string_view line,
                            const std::function<void(const ServerEvent&)>& on_event) {
    if (line.empty()) {
        event_.id = last_id_;
        if (std::exchange(has_data_, false)) on_event(event_);
        event_ = {};
        return;
    }
    std::size_t colon = line.find(':');
    std::string_view field = line.substr(0, colon);
    std::string_view value = colon == line.npos ? "" : line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (field == "data") {
        if (std::exchange(has_data_, true)) event_.data += '\n';
        event_.data += value;
    } else if (field == "event") {
        event_.name = value;
    } else if (field == "id" && value.find('\0') == value.npos) {
        last_id_ = value;
    }  // anything else, and a comment (":"), is to be ignored
}

}  // namespace conclave::net
