// elect/appointed_test.cc -- what an appointment costs, and why its epoch must be unique.
#include "elect/appointed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "elect/hand.h"
#include "elect/plans_test.h"

namespace conclave {
namespace {

using kit::breaks;
using kit::node;
using Why = Refused::Why;

// A person at `at` appoints `leader`; epoch 0 is the next one.
Scheduled appointment(double when, std::uint32_t at, std::uint32_t leader,
                      std::uint64_t epoch = 0) {
    return {kit::at(when), fault::Ask{node(at), "Appoint " + std::to_string(leader) + " " +
                                                    std::to_string(epoch)}};
}
bool all_name(const Report& report, std::uint32_t leader) {
    return std::ranges::all_of(report.leaders,
                               [&](const auto& one) { return one.second == node(leader); });
}

TEST(Appointed, CostsOneAnnouncementForEachOther) {
    for (std::uint32_t n = 1; n <= 24; ++n) {
        Plan plan = kit::started(default_plan(n), {});
        plan.schedule = {appointment(0, 1, n, 7)};
        Report report = kit::run<Appointed>(plan);
        EXPECT_EQ(report.total(), n - 1);
        EXPECT_EQ(report.time, n > 1 ? 5 : 0);  // read, reserve, announce
        EXPECT_TRUE(all_name(report, n));
        plan.without = {"unique-epoch"};
        report = kit::run<Appointed>(plan);
        EXPECT_EQ(report.total(), n - 1);
        EXPECT_EQ(report.time, n > 1 ? 1 : 0);
        EXPECT_TRUE(all_name(report, n));
    }
}

TEST(Appointed, CallingAnElectionAtANodeNamesIt) {
    EXPECT_TRUE(all_name(kit::run<Appointed>(kit::started(default_plan(5), {2})), 2));
}

TEST(Appointed, NobodyTakesOverFromADeadLeader) {
    Plan plan = default_plan(3);
    plan.schedule = {appointment(0, 1, 3), {kit::at(10), fault::Crash{node(3)}}};
    plan.linger = 200 * unit;
    EXPECT_TRUE(all_name(kit::run<Appointed>(plan), 3));
    plan.schedule.push_back(appointment(60, 1, 2));  // until somebody says so
    EXPECT_TRUE(all_name(kit::run<Appointed>(plan), 2));
}

TEST(Appointed, NewerEpochReplacesAnOlderOneNeverTheReverse) {
    Plan plan = default_plan(5);
    plan.schedule = {appointment(0, 1, 3, 8), appointment(20, 2, 4, 8), appointment(40, 5, 1, 6)};
    EXPECT_TRUE(all_name(kit::run<Appointed>(plan), 3));
    plan.schedule.push_back(appointment(60, 5, 1, 9));
    EXPECT_TRUE(all_name(kit::run<Appointed>(plan), 1));
}

// Two persons, one epoch, two leaders.
TEST(Appointed, WithoutUniqueEpochTwoLeadersOfOneEpochArePossible) {
    for (std::uint32_t n = 2; n <= 7; ++n) {
        Plan plan = default_plan(n);
        plan.schedule = {appointment(0, 1, 1, 1), appointment(0, 2, 2, 1)};
        EXPECT_TRUE(kit::run<Appointed>(plan).violations.empty()) << n;
        plan.without = {"unique-epoch"};
        const Report report = kit::run<Appointed>(plan);
        EXPECT_TRUE(breaks(report, "one leader per epoch")) << n;
        EXPECT_TRUE(breaks(report, "all know the newest")) << n;  // and for good
    }
}

TEST(Appointed, RefusalsSayWhy) {
    Hand<Appointed> one(1, 3);
    const auto why = [&] {
        return one.tells<Refused>() ? std::optional(one.tells<Refused>()->why) : std::nullopt;
    };
    one.is_asked(Appoint{node(9), {1}});
    EXPECT_EQ(why(), Why::not_eligible);
    one.receives(2, Appointed::Announce{{{5}, node(2)}});
    EXPECT_EQ(one.state.elected({}), node(2));
    one.is_asked(Appoint{node(3), {5}});
    EXPECT_EQ(why(), std::nullopt);  // others may not know better
    one.is_asked(Appoint{node(2), {6}});
    EXPECT_EQ(why(), Why::busy);
    one.receives(3, Appointed::EpochIs{one.state.nonce, {2}});
    EXPECT_EQ(why(), Why::stale_epoch);
    one.is_asked(Appoint{node(3), {}});
    for (std::uint32_t i = 1; i < one.config.attempts; ++i) one.expires(Appointed::NoMajority{});
    EXPECT_EQ(why(), std::nullopt);
    one.expires(Appointed::NoMajority{});
    EXPECT_EQ(why(), Why::unreachable);
}

TEST(Appointed, EpochComesFromAMajorityNotFromTheNodeThatIsAsked) {
    Hand<Appointed> one(1, 3);
    one.is_asked(Appoint{node(3), {}});
    one.receives(2, Appointed::EpochIs{one.state.nonce, {41}});
    EXPECT_EQ(one.sends<Appointed::Reserve>()->office.epoch, Epoch{42});
    one.receives(3, Appointed::Reserved{{{42}, node(3)}, true});
    EXPECT_EQ(one.tells<LeaderIs>()->epoch, Epoch{42});
}

TEST(Appointed, LateMajorityDoesNotBringBackAnOlderEpoch) {
    Hand<Appointed> one(1, 3);
    one.is_asked(Appoint{node(3), {}});
    one.receives(2, Appointed::EpochIs{one.state.nonce, {}});
    one.receives(2, Appointed::Announce{{{2}, node(2)}});  // meanwhile, by somebody else
    one.receives(3, Appointed::Reserved{{{1}, node(3)}, true});
    EXPECT_EQ(one.tells<Refused>()->why, Why::stale_epoch);
    EXPECT_EQ(one.state.elected({}), node(2));
}

TEST(Appointed, RefusedAsSoonAsAMajorityIsOutOfReach) {
    Hand<Appointed> one(1, 2);
    one.is_asked(Appoint{node(1), {}});
    one.receives(2, Appointed::EpochIs{one.state.nonce, {}});
    one.receives(2, Appointed::Reserved{{{1}, node(1)}, false});  // granted to somebody else
    EXPECT_EQ(one.tells<Refused>()->why, Why::stale_epoch);
}

TEST(Appointed, ReservationIsGrantedOnce) {
    Hand<Appointed> voter(1, 3);
    const auto granted = [&](Appointed::Office office) {
        voter.receives(2, Appointed::Reserve{office});
        return voter.sends<Appointed::Reserved>()->granted;
    };
    EXPECT_TRUE(granted({{4}, node(2)}));
    EXPECT_TRUE(granted({{4}, node(2)}));  // asked again: the answer was lost
    EXPECT_FALSE(granted({{4}, node(3)}));
    EXPECT_FALSE(granted({{3}, node(3)}));
    EXPECT_TRUE(granted({{5}, node(3)}));
    EXPECT_EQ(voter.state.elected({}), std::nullopt);  // reserved is not announced
}

TEST(Appointed, NodeThatJoinsLaterLearnsWhoLeads) {
    Plan plan = default_plan(4);
    plan.oracle.present = false;
    plan.down = {node(4)};
    plan.schedule = {appointment(0, 1, 2, 3), {kit::at(50), fault::Restart{node(4)}}};
    Report report = kit::run<Appointed>(plan);
    EXPECT_TRUE(report.violations.empty()) << kit::text(report);
    EXPECT_TRUE(all_name(report, 2));
    plan.without = {"enquire"};
    EXPECT_TRUE(breaks(kit::run<Appointed>(plan), "all know the newest"));
}

TEST(Appointed, AnnouncementIsRepeatedUntilAcknowledged) {
    Plan plan = default_plan(2);
    plan.oracle.present = false;
    plan.without = {"enquire"};
    plan.schedule = {appointment(0, 1, 1),
                     {kit::at(4), fault::Cut{node(1), node(2)}},
                     {kit::at(7), fault::Heal{node(1), node(2)}}};
    EXPECT_TRUE(all_name(kit::run<Appointed>(plan), 1));
    plan.without = {"enquire", "ack"};
    EXPECT_TRUE(breaks(kit::run<Appointed>(plan), "all know the newest"));
}

TEST(Appointed, HoldsUnderTheFaultsItClaimsToSurvive) {
    kit::expect_claimed_seeds_hold<Appointed>(300);
}

// Many persons at once, in the middle of everything else.
TEST(Appointed, HoldsUnderContradictingPersonsAndFaults) {
    const auto simulator = make_simulator<Appointed>("tested");
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Plan plan = claimed_plan(Appointed::assumes, Appointed::claim.kind, seed);
        Dice dice(seed);
        const auto some = [&] {
            return 1 + static_cast<std::uint32_t>(dice.below(plan.members.size()));
        };
        for (int i = 0; i < 8; ++i) {
            const auto when = static_cast<double>(dice.below(200));
            plan.schedule.push_back(appointment(when, some(), some(), dice.below(4)));
        }
        std::ranges::stable_sort(plan.schedule, {}, &Scheduled::at);
        const Report report = simulator->run(plan);
        ASSERT_TRUE(report.violations.empty()) << "seed " << seed << "\n" << kit::text(report);
    }
}

}  // namespace
}  // namespace conclave
