#include "node/guests.h"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

namespace conclave::node {

namespace {

constexpr std::size_t most_sessions = 64;  // of one door: an honest client has one at a time

const locks::SessionId& session_of(const locks::FromGuest& said) {
    return std::visit([](const auto& one) -> const locks::SessionId& { return one.word.session; },
                      said.word);
}

}  // namespace

// Alive as long as its client is there.
class Guests::Door {
public:
    explicit Door(net::Exchange& exchange) : exchange_(exchange) {}

    void send(const Bytes& frames) {
        exchange_.send({reinterpret_cast<const char*>(frames.data()), frames.size()});
    }
    void shut() { exchange_.hang_up(); }

    void know(const locks::SessionId& session, Doors& doors) {
        if (sessions_.contains(session)) return;
        if (sessions_.size() == most_sessions) {
            forget(sessions_.front(), doors);
            sessions_.erase(sessions_.begin());
        }
        sessions_.push_back(session);
    }
    void forget_all(Doors& doors) {
        for (const locks::SessionId& session : sessions_) forget(session, doors);
    }

    bool has_session() const { return !sessions_.empty(); }

    wire::FrameReader reader{locks::longest_word};

private:
    // It may be at another door by now.
    void forget(const locks::SessionId& session, Doors& doors) const {
        const auto* known = doors.find(session);
        if (known && known->lock().get() == this) doors.erase(locks::SessionId(session));
    }

    net::Exchange& exchange_;  // which holds this
    Small<locks::SessionId, 1> sessions_;
};

Guests::Guests(Node& node)
    : node_(node), group_(node.config().locks.serve ? node.group(lock_group) : nullptr) {
    if (!group_) return;
    group_->set_guest_ear([this](const locks::ForGuest& answer) {
        if (!tell(answer)) node_.session_locks()->hear(answer);
    });
    listening_ = node_.listen([this](std::uint64_t, const Change& change) {
        if (change.group == lock_group) name_leader(change.now);
    });
    name_leader(group_->leadership());
}

Guests::~Guests() {
    if (group_) group_->set_guest_ear({});
}

void Guests::admit(const std::shared_ptr<net::Exchange>& exchange) {
    const auto door = std::make_shared<Door>(*exchange);
    exchange->upgrade(std::string(wire::guest_protocol),
                      [this, weak = std::weak_ptr(door)](std::string_view bytes) {
                          if (const auto open = weak.lock()) arrived(open, bytes);
                      });
    std::erase_if(all_, [](const auto& one) { return one.expired(); });
    all_.push_back(door);
    const Config& config = node_.config();
    frames_.clear();
    wire::append_welcome(frames_,
                         {config.cluster.name, config.node.name, config.locks.session_max});
    if (epoch_) append_word(locks::Recover{*epoch_});
    door->send(frames_);
    exchange->on_gone([this, exchange, door] { door->forget_all(doors_); });
}

std::size_t Guests::size() const {
    const auto speaks = [](const std::weak_ptr<Door>& one) {
        const auto door = one.lock();
        return door && door->has_session();
    };
    return static_cast<std::size_t>(std::ranges::count_if(all_, speaks));
}

// All are told: whoever holds or wants something says so to the new leader.
void Guests::name_leader(const Leadership& leadership) {
    epoch_ = leadership.leader ? std::optional(leadership.epoch) : std::nullopt;
    if (!epoch_) return;
    frames_.clear();
    append_word(locks::Recover{*epoch_});
    for (const auto& one : std::vector(all_)) {
        if (const auto door = one.lock()) door->send(frames_);
    }
}

void Guests::arrived(const std::shared_ptr<Door>& door, std::string_view bytes) {
    node_.look_now_and_then();
    door->reader.feed(std::as_bytes(std::span(bytes)));
    while (const auto frame = door->reader.next()) {
        if (!take(door, *frame)) return door->shut();
    }
    if (door->reader.problem()) door->shut();
}

bool Guests::take(const std::shared_ptr<Door>& door, const wire::Frame& frame) {
    if (frame.kind != wire::Kind::letter) return true;  // of a newer client
    const auto letter = wire::read_letter(frame.body);
    if (!letter) return false;
    ByteView bytes = letter->message;
    locks::Message message;
    if (!decode<wire::Growing>(bytes, message) || !bytes.empty()) return false;
    auto said = as_guest(std::move(message));
    if (!said) return false;
    const locks::SessionId& session = session_of(*said);
    door->know(session, doors_);
    doors_[session] = door;
    group_->hear_guest(std::move(*said));
    return true;
}

bool Guests::tell(const locks::ForGuest& answer) {
    return std::visit(
        [this](const auto& one) {
            const auto* known = doors_.find(one.session);
            const auto door = known ? known->lock() : nullptr;
            if (!door) return false;
            frames_.clear();
            append_word(one);
            door->send(frames_);
            return true;
        },
        answer.word);
}

void Guests::append_word(const locks::Message& word) {
    word_.clear();
    encode<wire::Growing>(word_, word);
    static_cast<void>(wire::append_letter(frames_, 0, word_));  // ours are never too long
}

}  // namespace conclave::node
