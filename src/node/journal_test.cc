#include "node/journal.h"

#include <gtest/gtest.h>

namespace conclave::node {
namespace {

using std::chrono::milliseconds;

Instant at(int ms) { return Instant(milliseconds(ms)); }
NodeSet nodes(std::initializer_list<std::uint32_t> ids) {
    NodeSet set;
    for (std::uint32_t id : ids) set.insert(NodeId{id});
    return set;
}
Moment received(std::string_view name, std::uint32_t from) {
    return {Moment::What::received, name, nodes({from}), {}};
}

TEST(Journal, TellsTheStoryInOrderWithTheTimeBeforeTheChange) {
    Journal journal;
    journal.note(at(0), {Moment::What::verdict, "Suspected", nodes({3}), {}});
    journal.unsettle();
    journal.note(at(10), {Moment::What::sent, "RequestVote", nodes({1, 3}), {}});
    journal.note(at(12), received("Grant", 1));
    const Cause cause = journal.cause(at(15));
    EXPECT_EQ(cause.reason, "Suspected");
    ASSERT_EQ(cause.lines.size(), 3U);
    EXPECT_EQ(cause.lines[0].what, "the detector says: Suspected 3");
    EXPECT_EQ(cause.lines[0].before, milliseconds(15));
    EXPECT_EQ(cause.lines[1].what, "sent RequestVote to 1, 3");
    EXPECT_EQ(cause.lines[2].what, "received Grant from 1");
}

TEST(Journal, KeepsWhatRepeatsAsOneLineWithACount) {
    Journal journal;
    for (int renewal = 0; renewal < 1000; ++renewal) {
        journal.note(at(renewal), received("Renew", 3));
        journal.note(at(renewal), {Moment::What::sent, "Renewed", nodes({3}), {}});
    }
    const Cause cause = journal.cause(at(1000));
    ASSERT_EQ(cause.lines.size(), 2U);
    EXPECT_EQ(cause.lines[0].times, 1000U);
    EXPECT_EQ(cause.lines[0].before, milliseconds(1));
}

TEST(Journal, TheReasonIsWhatHappenedFirstAndNotWhatFollowed) {
    Journal journal;
    journal.note(at(0), {Moment::What::expired, "PromiseOver", {}, {}});
    journal.unsettle();
    journal.note(at(1), received("Grant", 2));
    journal.unsettle();
    EXPECT_EQ(journal.cause(at(2)).reason, "PromiseOver");
    journal.settle();
    journal.note(at(3), received("Release", 2));
    EXPECT_EQ(journal.cause(at(4)).reason, "Release");
    EXPECT_EQ(journal.cause(at(4)).lines.size(), 1U);
}

TEST(Journal, OfALongStoryTheEndIsKept) {
    Journal journal;
    for (int node = 1; node <= 500; ++node) {
        journal.note(at(2 * node), received("Grant", static_cast<std::uint32_t>(node)));
        journal.note(at(2 * node + 1), received("Renew", 1));
    }
    const Cause cause = journal.cause(at(1002));
    ASSERT_GT(cause.lines.size(), 50U);
    EXPECT_LT(cause.lines.size(), 200U);
    EXPECT_EQ(cause.lines.back().what, "received Renew from 1");
    EXPECT_EQ(cause.lines.back().times, 500U);
    std::uint32_t node = 500;
    for (std::size_t at = cause.lines.size() - 1; at-- > 0; --node) {
        EXPECT_EQ(cause.lines[at].what, "received Grant from " + std::to_string(node));
        EXPECT_EQ(cause.lines[at].before, milliseconds(2 * (501 - static_cast<int>(node))));
    }
}

}  // namespace
}  // namespace conclave::node
