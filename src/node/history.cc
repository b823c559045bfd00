#include "node/history.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>

namespace conclave::node {

std::string cause_text(const Cause& cause) {
    boost::json::array steps;
    for (const CauseLine& line : cause.lines) {
        const auto before = std::chrono::floor<std::chrono::microseconds>(line.before);
        steps.push_back(
            {{"before_us", before.count()}, {"times", line.times}, {"what", line.what}});
    }
    return boost::json::serialize(
        boost::json::object{{"reason", cause.reason}, {"steps", std::move(steps)}});
}

HistoryEntry to_entry(std::uint64_t number, const Change& change) {
    HistoryEntry entry;
    entry.index = number;
    entry.group = change.group;
    entry.epoch = change.now.epoch;
    entry.leader = change.now.leader;
    entry.at = change.wall_ns;
    entry.cause = cause_text(change.cause);
    return entry;
}

}  // namespace conclave::node
