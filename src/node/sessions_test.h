// node/sessions_test.h -- for the tests of sessions: a node whose time and elections are made up.
#pragma once
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node/sessions.h"

namespace conclave::node {

using namespace std::chrono_literals;

// A node whose election does what the test says.
struct MadeUpNode : Sessions::Lender {
    struct Led {
        std::optional<Tenure> held;
        Attribute attribute = 0;
        Sessions::Standing standing;
        int resignations = 0;
    };

    Instant now() override { return time; }
    std::optional<Tenure> tenure(const std::string& group) override {
        const auto& held = groups[group].held;
        return held && time < held->until ? held : std::nullopt;
    }
    Attribute attribute(const std::string& group) override { return groups[group].attribute; }
    void stand(const std::string& group, const Sessions::Standing& standing) override {
        groups[group].standing = standing;
    }
    void resign(const std::string& group) override {
        Led& led = groups[group];
        ++led.resignations;
        time += 1ns;
        if (obeys) led.held.reset();
    }
    void wake(Instant due) override { alarm = due; }
    void ended(const std::string& session) override { buried.push_back(session); }

    Instant time{1h};
    std::optional<Instant> alarm;
    std::vector<std::string> buried;
    bool obeys = true;  // false: the resignation waits for the disk
    std::map<std::string, Led> groups;
};

}  // namespace conclave::node
