// sim/plan_text_test.cc -- every setting, what is wrong with it, and back to text.
#include "sim/plan_text.h"

#include <gtest/gtest.h>

#include "core/value.h"
#include "sim/dice.h"
#include "sim/narrate.h"
#include "sim/starts.h"

namespace conclave {
namespace {

struct Read {
    Plan plan;
    std::string wrong;  // empty: nothing
};
Read read(std::string_view settings) {
    Read result;
    std::string algorithm;
    const auto wrong = read_world("world x " + std::string(settings), algorithm, result.plan);
    result.wrong = wrong.value_or("");
    return result;
}
Plan plan_of(std::string_view settings) {
    const Read result = read(settings);
    EXPECT_EQ(result.wrong, "") << settings;
    return result.plan;
}
std::string wrong_with(std::string_view settings) { return read(settings).wrong; }

std::string schedule_of(std::string_view settings) {
    std::string all;
    for (const Scheduled& one : plan_of(settings).schedule) {
        all += (all.empty() ? "" : ", ") + units_text(one.at.time_since_epoch()) + " " +
               fault_text(one.fault);
    }
    return all;
}
std::string ids(const Plan& plan) {
    std::string all;
    for (const Member& member : plan.members) all += to_text(member.node) + " ";
    return all;
}

TEST(PlanText, NodesAreCountedOrListed) {
    EXPECT_EQ(ids(plan_of("nodes=3")), "1 2 3 ");
    EXPECT_EQ(ids(plan_of("nodes=3,32,5,80")), "3 32 5 80 ");  // the ring's order
    EXPECT_EQ(ids(plan_of("nodes=7,")), "7 ");
    EXPECT_EQ(plan_of("nodes=3,32,5,80").settings.nodes, 4U);
    EXPECT_EQ(wrong_with(""), "there are no nodes");
    EXPECT_EQ(wrong_with("nodes=0"), "nodes must be at least 1, not 0");
    EXPECT_EQ(wrong_with("nodes=-1"), "nodes must be a number or a list of ids, not -1");
    EXPECT_EQ(wrong_with("nodes=1,2,1"), "node 1 is there twice");
}

TEST(PlanText, MembersDifferByPriorityRoleAndWeight) {
    const Plan plan = plan_of("role=3:witness priority=3:-10,1:4 weight=2:5 nodes=3");
    EXPECT_EQ(plan.members[2].role, Role::witness);
    EXPECT_EQ(plan.members[2].priority, -10);
    EXPECT_EQ(plan.members[0].priority, 4);
    EXPECT_EQ(plan.members[1].weight, 5U);
    EXPECT_EQ(wrong_with("nodes=3 role=3:king"), "role must be ID:VALUE, not '3:king'");
    EXPECT_EQ(wrong_with("nodes=3 priority=4:1"), "node 4 is not one of the 3 nodes");
}

TEST(PlanText, AttributesAreLiveAndLessLoadIsBetter) {
    const Plan plan =
        plan_of("nodes=4 attr=3=load:0.2,1=disk:7.5 attr=2=ip:10.0.0.7 attr=4=raw:-3");
    EXPECT_TRUE(plan.settings.live_attribute);
    std::string all;
    for (const Start& start : plan.starts) {
        all += to_text(start.node) + ":" + std::to_string(*start.attribute) + " ";
    }
    EXPECT_EQ(all, "3:-200 1:7500 2:167772167000 4:-3 ");
    EXPECT_EQ(schedule_of("nodes=4 attr=3=load:0.5@7"), "7 attribute 3 -500");
    EXPECT_EQ(wrong_with("nodes=4 attr=9=load:1"), "node 9 is not one of the 4 nodes");
    EXPECT_EQ(wrong_with("nodes=4 attr=3:load"), "attr must be ID=NAME:VALUE, not '3:load'");
    EXPECT_EQ(wrong_with("nodes=4 attr=3=ip:1.2.3"),
              "attr must be ID=NAME:VALUE, not '3=ip:1.2.3'");
}

TEST(PlanText, StartIsHowExactCountsAreMade) {
    const Plan plan = plan_of("start=3,5 nodes=8");
    EXPECT_EQ(plan.settings.join, Join::stay);
    EXPECT_FALSE(plan.oracle.present);
    EXPECT_EQ(schedule_of("start=3,5 nodes=8"), "0 call 3, 0 call 5");
    EXPECT_TRUE(plan_of("detector=oracle start=3 nodes=8").oracle.present);
    EXPECT_EQ(plan_of("join=call start=3 nodes=8").settings.join, Join::call);
    EXPECT_EQ(wrong_with("start=9 nodes=5"), "node 9 is not one of the 5 nodes");
}

TEST(PlanText, CrashAtTheBeginningMeansNeverThere) {
    const Plan plan = plan_of("nodes=6 crash=6@0 crash=5,4@0");
    EXPECT_EQ(plan.down, (std::vector{NodeId{6}, NodeId{5}, NodeId{4}}));
    EXPECT_TRUE(plan.schedule.empty());
    EXPECT_EQ(schedule_of("nodes=6 crash=6@3,5@0:torn restart=6@9,5@9:amnesia"),
              "0 crash 5 torn, 3 crash 6, 9 restart 6, 9 restart 5 amnesia");
    EXPECT_EQ(wrong_with("nodes=5 crash=9"), "node 9 is not one of the 5 nodes");
    EXPECT_EQ(wrong_with("nodes=5 crash=1@x"),
              "crash must be ID, ID@TIME or ID@TIME:torn, not '1@x'");
    EXPECT_EQ(wrong_with("nodes=5 restart=1"), "restart must be ID@TIME or ID@TIME:amnesia, not 1");
}

TEST(PlanText, TimesAreInUnitsOrHaveTheirOwn) {
    EXPECT_EQ(schedule_of("nodes=2 crash=1@3,2@2500us call=1@1s suspect=1:2@0.5 trust=1:2@4"),
              "0.5 suspect 1 2, 2.5 crash 2, 3 crash 1, 4 trust 1 2, 1000 call 1");
    EXPECT_EQ(plan_of("nodes=2 until=500 linger=2s").until, 500 * unit);
    EXPECT_EQ(wrong_with("nodes=2 until=-1"), "until must be a time, not -1");
    EXPECT_EQ(wrong_with("nodes=2 until=5days"), "until must be a time, not '5days'");
    EXPECT_EQ(wrong_with("nodes=2 until=1e300"), "until must be a time, not 1e300");
    EXPECT_EQ(wrong_with("nodes=2 tm=0"), "tm must be more than 0, not 0");
}

TEST(PlanText, PausesCutsAndPartitionsBeginAndEnd) {
    EXPECT_EQ(schedule_of("nodes=5 pause=5@100..400,4@7"), "7 pause 4, 100 pause 5, 400 resume 5");
    EXPECT_EQ(schedule_of("nodes=2 cut=1-2@3..5"), "3 cut 1>2, 3 cut 2>1, 5 heal 1>2, 5 heal 2>1");
    EXPECT_EQ(schedule_of("nodes=2 cut=2>1"), "0 cut 2>1");
    EXPECT_EQ(schedule_of("partition=1,2|3@10..20 nodes=3"),
              "10 cut 1>3, 10 cut 2>3, 10 cut 3>1, 10 cut 3>2, "
              "20 heal 1>3, 20 heal 2>3, 20 heal 3>1, 20 heal 3>2");
    EXPECT_EQ(wrong_with("nodes=5 pause=5@4..4"), "pause 5@4..4 ends before it begins");
    EXPECT_EQ(wrong_with("nodes=5 cut=1-1"), "cut must be between two nodes, not '1-1'");
    EXPECT_EQ(wrong_with("nodes=4 partition=1,2|3@1..2"), "partition '1,2|3' misses node 4");
    EXPECT_EQ(wrong_with("nodes=3 partition=1,2|3,2"), "partition '1,2|3,2' has node 2 twice");
    EXPECT_EQ(wrong_with("nodes=3 partition=1,2|3,7"), "node 7 is not one of the 3 nodes");
    EXPECT_EQ(wrong_with("nodes=3 partition=1,2|3@9..2"),
              "partition 1,2|3@9..2 ends before it begins");
}

TEST(PlanText, ClocksRunWrongFromTheStart) {
    const Plan plan = plan_of("nodes=4 drift=4=1.001,2=0.9998 clock=1:-30:7.5");
    ASSERT_EQ(plan.starts.size(), 3U);
    EXPECT_EQ(plan.starts[0].ppm, 1000);
    EXPECT_EQ(plan.starts[1].ppm, -200);
    EXPECT_EQ(plan.starts[2].ppm, -30);
    EXPECT_EQ(plan.starts[2].offset, 7 * unit + unit / 2);
    EXPECT_EQ(wrong_with("nodes=4 drift=4=3"), "drift must be a rate near 1, not 3");
    EXPECT_EQ(wrong_with("nodes=4 drift=9=1.1"), "node 9 is not one of the 4 nodes");
}

TEST(PlanText, TimeoutsFollowTheNetworkUnlessToldOtherwise) {
    const Plan plain = plan_of("nodes=2");
    EXPECT_EQ(plain.settings.tm, unit);
    EXPECT_EQ(plain.oracle.most, 2 * unit);
    const Plan slow = plan_of("nodes=2 delay=1..20 tp=3");
    EXPECT_EQ(slow.settings.tm, 20 * unit);
    EXPECT_EQ(slow.oracle.least, 43 * unit);
    const Plan late = plan_of("nodes=2 delay=1..20 tm=2");
    EXPECT_EQ(late.settings.tm, 2 * unit);
    EXPECT_EQ(late.oracle.most, 4 * unit);
    const Plan loose = plan_of("nodes=2 delay=1..20 timing=asynchronous verdict=3..9");
    EXPECT_FALSE(loose.oracle.reliable);
    EXPECT_EQ(loose.settings.tm, unit);
    EXPECT_EQ(loose.oracle.least, 3 * unit);
    EXPECT_EQ(loose.oracle.most, 9 * unit);
    EXPECT_EQ(wrong_with("nodes=2 delay=1..20 tm=2 timing=synchronous"),
              "a delay of 20 is longer than tm 2: that is not synchronous");
    EXPECT_EQ(wrong_with("nodes=2 delay=5..1"),
              "delay must be LO..HI with the smaller first, not '5..1'");
}

TEST(PlanText, WordsAndChancesAreChecked) {
    EXPECT_EQ(plan_of("nodes=2 direction=previous").settings.direction, Direction::previous);
    EXPECT_EQ(plan_of("nodes=2 loss=0.1 dup=1 reorder=on").adversary.duplicate, 1);
    EXPECT_EQ(plan_of("nodes=2 seed=18446744073709551615").seed, ~std::uint64_t{});
    EXPECT_EQ(plan_of("nodes=2 crashes=2 restarts=on calm=90").adversary.crashes, 2U);
    EXPECT_EQ(wrong_with("nodes=2 loss=1.5"), "loss must be between 0 and 1, not 1.5");
    EXPECT_EQ(wrong_with("nodes=2 dup=nan"), "dup must be between 0 and 1, not 'nan'");
    EXPECT_EQ(wrong_with("nodes=2 join=maybe"), "join must be call or stay, not 'maybe'");
    EXPECT_EQ(wrong_with("nodes=2 detector=accrual"),
              "detector must be oracle or none, not 'accrual'");
    EXPECT_EQ(wrong_with("nodes=2 foo=1"), "unknown setting 'foo'");
    EXPECT_EQ(wrong_with("nodes=2 settle=1"), "unknown setting 'settle'");
    EXPECT_EQ(wrong_with("nodes=2 bar"), "'bar' is not of the form key=value");
}

TEST(PlanText, FixesAndOptionsAreTheAlgorithmsOwn) {
    Plan plan = plan_of("nodes=2 without=epoch,ack set.answer=5");
    EXPECT_EQ(plan.without, (std::vector<std::string>{"epoch", "ack"}));
    EXPECT_EQ(plan.options.at(0).first, "answer");
    EXPECT_FALSE(take_setting(plan, "set", "victory=1..2"));
    EXPECT_FALSE(complete(plan));
    EXPECT_EQ(plan.options.at(1).second, "1..2");
    EXPECT_EQ(take_setting(plan, "set.", "1").value_or(""), "set. must be NAME=VALUE, not 1");
}

// The line says everything about the world that is not its schedule.
TEST(PlanText, WorldLineReadsBackAsItself) {
    for (std::string_view line : {
             "world x nodes=5",
             "world x nodes=7,",
             "world x nodes=3,32,5,80 priority=3:1,80:-2 role=5:learner weight=32:4",
             "world x nodes=3 timing=asynchronous tm=2 tp=0.5 delay=0.25..7 loss=0.1 dup=0.0625 "
             "reorder=on verdict=1..9 join=stay direction=previous",
             "world x nodes=3 tm=1 delay=1..5 detector=none",
             "world x nodes=3 delay=1..5",
             "world x nodes=3 attr=1=raw:-200,3=raw:7 clock=2:-40:3.25 down=3 without=a,b "
             "set.answer=4 set.victory=1..2 seed=9 until=100 linger=5",
             "world x nodes=3 live=on",
             "world x nodes=3 attr=1=raw:5 live=off",
         }) {
        std::string algorithm;
        Plan plan;
        ASSERT_EQ(read_world(line, algorithm, plan), std::nullopt) << line;
        EXPECT_EQ(world_line(plan, algorithm), line);
    }
}

TEST(PlanText, WorldLineWritesDrawnClocksAsTheyAre) {
    Plan plan = default_plan(4);
    plan.adversary.drift_ppm = 300;
    plan.adversary.scatter_clocks = true;
    plan.starts.push_back({.node = NodeId{2}, .attribute = 9, .ppm = 12});
    std::string algorithm;
    Plan again;
    ASSERT_EQ(read_world(world_line(plan, "x"), algorithm, again), std::nullopt);
    const auto drawn = starts_of(plan), written = starts_of(again);
    ASSERT_EQ(drawn.size(), 4U);
    for (const Start& start : drawn) {
        const auto same = [&](const Start& other) {
            return other.node == start.node && other.ppm == start.ppm &&
                   other.offset == start.offset && other.attribute == start.attribute;
        };
        EXPECT_TRUE(std::ranges::any_of(written, same)) << to_text(start.node);
    }
    EXPECT_EQ(drawn[1].ppm, 12);
}

TEST(PlanText, JunkIsReadOrRefusedButNeverCrashes) {
    constexpr std::string_view pieces[] = {
        "nodes", "attr", "crash", "cut",  "partition", "drift", "clock", "set.x", "start", "down",
        "1",     "2",    "99999", "-1",   "1e9",       "nan",   "inf",   "0x1",   "",      " ",
        ",",     "|",    "@",     "..",   ":",         "=",     ">",     "-",     "torn",  "load",
        "\xff",  "5",    "3",     "1..2", "0.5",       "on",    "off",   "ms",    "é",     "1,2"};
    constexpr std::string_view keys[] = {
        "nodes", "priority", "role",  "weight",  "attr",  "live",    "timing",    "tm",
        "tp",    "delay",    "start", "join",    "crash", "restart", "detector",  "verdict",
        "loss",  "dup",      "drift", "clock",   "down",  "pause",   "partition", "cut",
        "trust", "suspect",  "call",  "ask",     "seed",  "until",   "linger",    "without",
        "set",   "set.a",    "calm",  "crashes", "skew",  "reorder", "direction", "torn"};
    Dice dice(1);
    int read_well = 0;
    for (int i = 0; i < 15'000; ++i) {
        std::string value;
        for (std::uint64_t n = dice.below(7); n > 0; --n) {
            value += pieces[dice.below(std::size(pieces))];
        }
        Plan plan = default_plan(5);
        const auto key = keys[dice.below(std::size(keys))];
        const auto wrong = take_setting(plan, key, value);
        if (wrong) {
            EXPECT_FALSE(wrong->empty());
            continue;
        }
        const auto incomplete = complete(plan);
        if (incomplete) continue;
        ++read_well;
        std::string algorithm;
        Plan again;
        if (value.find(' ') != value.npos) continue;  // no script can say that
        EXPECT_EQ(read_world(world_line(plan, "x"), algorithm, again), std::nullopt)
            << key << " = " << value;
    }
    EXPECT_GT(read_well, 200);
}

}  // namespace
}  // namespace conclave
