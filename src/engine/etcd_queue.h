// engine/etcd_queue.h -- the keys of one thing in etcd, and whose turn it is by them.
//
// The layout is that of etcd's own recipes (`etcdctl elect NAME`, `etcdctl lock NAME`): each who
// wants it has the key NAME/<lease in hex>, and the oldest key has it. What we add is in the value:
// the terms. An exclusive wish waits for all that are older; a shared one for those that do not
// share; one of N slots for all but N - 1. A key that is not directly below NAME/ is somebody
// else's: NAME/x/<lease> belongs to the thing NAME/x.
#pragma once
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"

namespace conclave::engine::etcd {

struct Entry {
    std::string key, value;
    std::uint64_t created = 0;  // the revision of its creation: the order, and the token
    std::int64_t lease = 0;
};
using Queue = std::vector<Entry>;  // the oldest first

// The keys of one thing, between `first` and the end behind all of them.
struct Keys {
    std::string first, end;

    static Keys of(std::string_view root, std::string_view name);
    std::string key(std::int64_t lease) const;
    bool directly_below(std::string_view key) const;
};

std::string value_of(const Claim& claim);

struct Turn {
    bool mine = false;       // may be held
    bool every_key = false;  // any older key that goes may make it ours; else only `before`
    std::string before{};
};
// Nothing: that key is not there.
std::optional<Turn> turn_of(const Queue& queue, std::string_view key);

Standing standing_of(const Thing& thing, const Queue& queue);

// Whether it looks like a lock or like an election: only our own values say so.
Thing::Kind kind_of(const Queue& queue);
// The name of the thing that a key belongs to, if it is one of these.
std::optional<std::string> name_of(std::string_view root, const Entry& entry);

// From the answer to a range; nothing: it is no such answer.
std::optional<Queue> read_queue(const boost::json::value& range, const Keys* below = nullptr);

std::string base64(std::string_view bytes);

}  // namespace conclave::engine::etcd
