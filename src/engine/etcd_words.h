// engine/etcd_words.h -- questions to etcd's gateway, and what all its answers have in common.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/etcd_queue.h"

namespace conclave::engine::etcd {

inline constexpr const char *range_path = "/v3/kv/range", *txn_path = "/v3/kv/txn",
                            *watch_path = "/v3/watch", *grant_path = "/v3/lease/grant",
                            *renew_path = "/v3/lease/keepalive", *revoke_path = "/v3/lease/revoke";

boost::json::object range_of(const std::string& key);
boost::json::object range_of(const Keys& keys);

// The key is put unless it is there; the answer has the whole queue in any case.
boost::json::object put_unless_there(const Keys& keys, std::int64_t lease,
                                     const std::string& value);

// Deletions from this revision on.
boost::json::object deletions_of(boost::json::object range, std::uint64_t revision);
boost::json::object changes_of(boost::json::object range, std::uint64_t revision);

struct Header {
    std::uint64_t revision = 0, term = 0;
};
std::optional<Header> header_of(const boost::json::value& answer);

// A number that the gateway writes as text; what is left out is zero, nothing is no number.
std::optional<std::int64_t> signed_member(const boost::json::value& of, std::string_view name);

// The answer to one of a transaction's questions; null if there is none.
boost::json::value response_of(const boost::json::value& answer, std::size_t at);

}  // namespace conclave::engine::etcd
