// node/guests.h -- clients of the lock service that are connected to this node.
//
// A guest speaks to whoever leads the lock service, and this node passes it on: over the link to
// that leader, or to itself. It keeps for each session at which of its doors it was last heard, and
// nothing else: a guest whose node dies goes to another one and has lost nothing.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "net/http_exchange.h"
#include "node/node.h"
#include "wire/packets.h"

namespace conclave::node {

class Guests {
public:
    explicit Guests(Node& node);
    ~Guests();
    Guests(const Guests&) = delete;
    Guests& operator=(const Guests&) = delete;

    bool served() const { return group_ != nullptr; }  // there is a lock service
    void admit(const std::shared_ptr<net::Exchange>& exchange);
    std::size_t size() const;  // those who have said something: each has a session

private:
    class Door;
    using Doors = Table<locks::SessionId, std::weak_ptr<Door>>;

    void name_leader(const Leadership& leadership);
    void arrived(const std::shared_ptr<Door>& door, std::string_view bytes);
    [[nodiscard]] bool take(const std::shared_ptr<Door>& door, const wire::Frame& frame);
    bool tell(const locks::ForGuest& answer);  // false: it is nobody's at these doors
    void append_word(const locks::Message& word);

    Node& node_;
    HostedGroup* group_;
    Node::Listening listening_;
    std::optional<Epoch> epoch_;  // of the leader; none: there is none
    Doors doors_;                 // by session
    std::vector<std::weak_ptr<Door>> all_;
    Bytes frames_, word_;  // being written
};

}  // namespace conclave::node
