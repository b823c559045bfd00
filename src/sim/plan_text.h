// sim/plan_text.h -- plans as text: `key=value` words, the same on the command line and in scripts.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "sim/simulator.h"

namespace conclave {

// A group of nodes with ids 1..n (or as listed), unit delay, T = 2, everything as the sources have
// it.
Plan default_plan(std::size_t nodes);

// Takes one setting: nodes=5 | nodes=3,32,5,80, start=1,2, timing=, tm=, tp=, delay=1..2, loss=,
// dup=, reorder=, detector=oracle|none, join=, direction=, without=a,b, attr=3=load:5,
// priority=3:5, role=, weight=, crash=6@0, restart=6@9, cut=1-2@3..5, partition=1,2|3@10..20,
// pause=, drift=, clock=, down=, seed=, until=, linger=, set.NAME=VALUE.  Says what is wrong with
// it, or nothing.
std::optional<std::string> take_setting(Plan& plan, std::string_view key, std::string_view value);

// What only shows once everything is known: a node that is not there, a partition that misses one.
std::optional<std::string> complete(Plan& plan);

// The first line of a script that sets up this plan's world again (without its schedule).
std::string world_line(const Plan& plan, std::string_view algorithm);

}  // namespace conclave
