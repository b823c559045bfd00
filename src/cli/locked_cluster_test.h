// cli/locked_cluster_test.h -- for the tests: real nodes that serve locks, and commands that hold
// some.
#pragma once
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "cli/background_test.h"
#include "cli/cluster_test.h"
#include "cli/relay_test.h"
#include "conclave/fence.hpp"

namespace conclave {

class LockedCluster : public RealCluster {
protected:
    void SetUp() override { begin(""); }
    // `settings` of [locks]; with a relay between the nodes, if there is one.
    void begin(const std::string& settings, Relay* relay = nullptr) {
        Cluster::Plan plan =
            plan_of("quorum", 3, "lease = \"1s\"\n[locks]\nlease = \"1s\"\n" + settings);
        if (relay) {
            plan.road = [relay](std::uint32_t from, std::uint32_t to, const std::string& listen) {
                return relay->open(from, to, listen);
            };
        }
        prepare(plan);
        restart();
        ASSERT_TRUE(comes_true([this] { return !lock_server().empty(); })) << logs();
    }
    std::string lock_server() const {  // whom all that answer name
        std::string name;
        for (const auto& one : cluster->processes()) {
            const auto group = said_at(one.endpoint(), "/v1/groups/locks");
            const auto* object = group.if_object();
            if (!object) continue;
            const auto* leader = object->if_contains("leader");
            if (!leader || !leader->is_string()) return "";
            if (!name.empty() && name != leader->get_string()) return "";
            name = leader->get_string();
        }
        return name;
    }
    std::string everywhere() const {
        std::string list;
        for (const auto& one : cluster->processes())
            list += (list.empty() ? "" : ",") + one.endpoint();
        return list;
    }
    std::string at(std::size_t node) const { return "--endpoint " + process(node).endpoint(); }
    Ran lock(const std::string& arguments) const {
        return run("--endpoint " + everywhere() + " lock " + arguments, "timeout 60");
    }
    std::filesystem::path file(const std::string& name) const { return folder / name; }
};

inline FencingToken token_of(const std::string& line) {
    const auto token = parse_token(line);
    EXPECT_TRUE(token) << line;
    return token.value_or(FencingToken{});
}

}  // namespace conclave
