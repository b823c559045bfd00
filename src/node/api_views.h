// node/api_views.h -- what the HTTP API shows, as JSON. Ids are strings: some programs round
// numbers above 2^53.
#pragma once
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>

#include "node/node.h"

namespace conclave::node {

boost::json::object status_view(Node& node);
boost::json::object member_view(Node& node, NodeId id);
boost::json::array members_view(Node& node);
boost::json::object group_view(Node& node, HostedGroup& group);
boost::json::object mutex_view(Node& node, HostedGroup& group);
boost::json::array groups_view(Node& node);
boost::json::object change_view(const Node& node, std::uint64_t number, const Change& change);
boost::json::object entry_view(const Node& node, const HistoryEntry& entry);

}  // namespace conclave::node
