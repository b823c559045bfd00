#include "node/history.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>

namespace conclave::node {

boost::json::object tenure_value(const Tenure& tenure) {
    return {{"epoch", tenure.epoch.value},
            {"from_ns", tenure.from.time_since_epoch().count()},
            {"until_ns", tenure.until.time_since_epoch().count()}};
}

std::string cause_text(const Change& change) {
    boost::json::array steps;
    for (const CauseLine& line : change.cause.lines) {
        const auto before = std::chrono::floor<std::chrono::microseconds>(line.before);
        steps.push_back(
            {{"before_us", before.count()}, {"times", line.times}, {"what", line.what}});
    }
    boost::json::object cause{{"reason", change.cause.reason}, {"steps", std::move(steps)}};
    if (change.ended) cause["held"] = tenure_value(*change.ended);
    return boost::json::serialize(cause);
}

HistoryEntry to_entry(std::uint64_t number, const Change& change) {
    HistoryEntry entry;
    entry.index = number;
    entry.group = change.group;
    entry.epoch = change.now.epoch;
    entry.leader = change.now.leader;
    entry.at = change.wall_ns;
    entry.cause = cause_text(change);
    return entry;
}

}  // namespace conclave::node
