// node/config_engine.h -- where the engine of a group is, from what a person has written.
//
//     [groups.ledger]
//     engine = "etcd"                                  # or "zookeeper"
//     endpoints = ["https://e1:2379", "https://e2:2379"]
//     root = "/apps"                                   # optional: the group is /apps/ledger
//     user = "conclave"                                # optional, with
//     password_file = "etcd.password"
//     tls = { ca = "ca.crt", cert = "n1.crt", key = "n1.key" }
#pragma once
#include <string>
#include <vector>

#include "engine/place.h"
#include "node/config.h"

namespace conclave::node {

std::vector<std::string> known_engines();  // of this build

// What is wrong with it as it is written, and under which key of the group; no file is opened.
struct EngineError {
    std::string key, what;
};
std::vector<EngineError> engine_errors(const Group& group, const Known& known);

// With the password. Whoever wants to try again asks again: the file may be there by then.
Result<engine::Place> engine_place(const Group& group);

}  // namespace conclave::node
