// node/config_sample_test.h -- a configuration with nothing wrong in it, for tests to spoil.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "node/config.h"

namespace conclave::node {

// Says everything that can be said, except what excludes something else.
inline const std::string sample = R"(# a comment
[cluster]
name = "prod"

[node]
id = 1
name = "n1"
role = "voter"
state_dir = "/var/lib/conclave"

[peer]
listen = "0.0.0.0:7420"
advertise = "n1.example.net:7420"
tls = { ca = "ca.crt", cert = "certs/n1.crt", key = "/etc/keys/n1.key" }

[[peers]]
id = 2
name = "n2"
address = "n2.example.net:7420"

[[peers]]
id = 3
name = "n3"
address = "[2001:db8::3]:7420"
role = "witness"

[detector]
kind = "accrual"
detect_within = "400ms"
period = "90ms"
margin = "300ms"
threshold = 9.5

[api]
listen = ["unix:/run/conclave/api.sock", "127.0.0.1:7421"]

[groups.billing]
algorithm = "quorum"
priority = 10
preempt = true
lease = "300ms"
candidate = true
health = "command:healthy"
on_stop = "command:/usr/lib/billing/stop"
members = ["n1", "n2", "n3"]

[groups.archive]
algorithm = "invitation"
attribute = "command:/usr/lib/free"
plan = "command:/usr/lib/plan"

[groups.ledger]
engine = "etcd"
endpoints = ["http://127.0.0.1:2379"]

[locks]
session_max = "3s"

[mutex.press]
algorithm = "maekawa"

[record]
dir = "record"
bytes = 10000000

[log]
level = "debug"
format = "json"
)";

inline const Known all_known{
    {"quorum", "ring", "ring-list", "bully", "garcia-molina", "invitation", "appointed"},
    {"central", "token-ring", "ricart-agrawala", "maekawa", "path-token"},
    {"heartbeat", "ping", "accrual"},
    {"etcd"},
};

inline Loaded parsed(const std::string& text, const Overrides& overrides = {}) {
    return parse_config(text, "/etc/conclave/conclave.toml", overrides, all_known);
}

inline std::vector<std::string> texts(const std::vector<Problem>& problems) {
    std::vector<std::string> lines;
    for (const Problem& problem : problems) lines.push_back(to_text(problem));
    return lines;
}

// The sample with a piece exchanged that stands there exactly once.
inline std::string sample_with(const std::string& old, const std::string& replacement,
                               std::string text = sample) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, text.npos) << old;
    EXPECT_EQ(text.find(old, at + 1), text.npos) << old << " is there twice";
    if (at != text.npos) text.replace(at, old.size(), replacement);
    return text;
}

}  // namespace conclave::node
