#include "node/history.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace conclave::node {

std::string cause_text(const Cause& cause) {
    boost::json::array steps;
    for (const CauseLine& line : cause.lines) {
        const double before_ms = static_cast<double>(line.before.count()) / 1e6;
        steps.push_back({{"before_ms", before_ms}, {"times", line.times}, {"what", line.what}});
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
