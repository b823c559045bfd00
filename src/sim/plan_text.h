// sim/plan_text.h -- plans as text: `key=value` words, the same on the command line and in scripts.
//
//     nodes=5 | nodes=3,32,5,80      ids 1 to 5, or as listed; the order is that of the ring
//     priority=3:10 role=3:witness weight=3:2
//     attr=3=load:0.2[@T]            a live attribute, known to its node alone: the less load, the
//                                    better; of anything else the more. Decimals become thousandths
//     start=1,2                      all boot silently, these call at 0, no detector runs
//     requests=5 hold=3 think=0..20 contention=2 whispers=0.3     for a critical section: how often
//                                    each asks (with start=: only those), how long it stays and
//                                    pauses, how many at once (0: all), side messages
//     join=call|stay direction=next|previous detector=oracle|none verdict=LO..HI (after a crash)
//     timing=synchronous|asynchronous tm=1 tp=0 delay=LO..HI loss=0.1 dup=0.05 reorder=on
//     crash=6@3[:torn] restart=6@9[:amnesia] pause=5@10..40 drift=4=1.001 clock=4:1000:7
//     cut=1-2@3..5 (1>2: one way) partition=1,2|3@10..20 suspect=1:4@7 trust=1:4@9 call=3@10
//     ask=3@10:Resign down=6,7 without=FIX,FIX set.NAME=VALUE seed=7 until=500 linger=20
//     calm=200 crashes=2 restarts=on amnesia=on torn=1 pauses=1 partitions=1 cuts=1 suspicions=1
//     calls=1 changes=1 skew=200 scatter=on        how many faults a random schedule draws
//
// Times are in units unless they have their own (5us, 2s). Most settings take lists with commas and
// may come more than once. A crash at 0 means that the node never boots.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/simulator.h"

namespace conclave {

// A group of nodes with ids 1..n (or as listed), unit delay, T = 2, everything as the sources have
// it.
Plan default_plan(std::size_t nodes);

// Takes one setting, in any order. Says what is wrong with it, or nothing. It has no effect before
// the plan is complete.
std::optional<std::string> take_setting(Plan& plan, std::string_view key, std::string_view value);

// Applies what was taken. Says what only shows now: a node that is not there, a partition that
// misses one.
std::optional<std::string> complete(Plan& plan);

// Adds the faults that the plan's adversary asks for, drawn by its seed.
void draw_faults(Plan& plan);

// The settings that make this plan again, apart from its schedule and the dice that draw one. Wrong
// clocks are written as drawn.
std::vector<std::pair<std::string, std::string>> settings_of(const Plan& plan);

// The first line of a script that sets up this plan's world again (without its schedule).
std::string world_line(const Plan& plan, std::string_view algorithm);
// Reads `world ALGORITHM key=value...`. Says what is wrong, or nothing.
std::optional<std::string> read_world(std::string_view line, std::string& algorithm, Plan& plan);

}  // namespace conclave
