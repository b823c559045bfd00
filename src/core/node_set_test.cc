// core/node_set_test.cc -- NodeSet against std::set.
#include "core/node_set.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <utility>
#include <vector>

namespace conclave {
namespace {

using Model = std::set<std::uint32_t>;

NodeId node(std::uint32_t id) { return static_cast<NodeId>(id); }

NodeSet set_of(const Model& ids) {
    NodeSet nodes;
    for (std::uint32_t id : ids) nodes.insert(node(id));
    return nodes;
}

std::vector<std::uint32_t> list(const NodeSet& nodes) {
    std::vector<std::uint32_t> ids;
    for (NodeId id : nodes) ids.push_back(number(id));
    return ids;
}

std::vector<std::uint32_t> list(const Model& ids) { return {ids.begin(), ids.end()}; }

auto some_ids() { return rc::gen::container<Model>(rc::gen::inRange<std::uint32_t>(0, 300)); }

TEST(NodeSet, BehavesLikeSet) {
    EXPECT_TRUE(rc::check([](const std::vector<std::pair<bool, std::uint16_t>>& steps) {
        NodeSet nodes;
        Model model;
        for (const auto& [insert, seed] : steps) {
            const std::uint32_t id = seed % 300;
            RC_ASSERT(nodes.contains(node(id)) == model.contains(id));
            if (insert)
                RC_ASSERT(nodes.insert(node(id)) == model.insert(id).second);
            else
                RC_ASSERT(nodes.erase(node(id)) == (model.erase(id) == 1));
            RC_ASSERT(list(nodes) == list(model));
            RC_ASSERT(nodes.size() == model.size());
            RC_ASSERT(nodes.empty() == model.empty());
            RC_ASSERT(nodes == set_of(model));
            if (model.empty()) continue;
            RC_ASSERT(number(nodes.front()) == *model.begin());
            RC_ASSERT(number(nodes.back()) == *model.rbegin());
        }
    }));
}

TEST(NodeSet, CombinesLikeSets) {
    EXPECT_TRUE(rc::check([] {
        const Model a = *some_ids(), b = *some_ids();
        Model both, either = a, only_a;
        for (std::uint32_t id : b) either.insert(id);
        for (std::uint32_t id : a) (b.contains(id) ? both : only_a).insert(id);
        RC_ASSERT((set_of(a) | set_of(b)) == set_of(either));
        RC_ASSERT((set_of(a) & set_of(b)) == set_of(both));
        RC_ASSERT((set_of(a) - set_of(b)) == set_of(only_a));
    }));
}

TEST(NodeSet, ForgetsThatItWasLarge) {
    NodeSet nodes{node(1)};
    nodes.insert(node(4000));
    nodes.erase(node(4000));
    EXPECT_EQ(nodes, NodeSet{node(1)});
    EXPECT_EQ(nodes.words().size(), 1U);
    nodes.erase(node(1));
    EXPECT_TRUE(nodes.words().empty());
}

TEST(NodeSet, MayShrinkWhileWalked) {
    NodeSet nodes{node(1), node(2), node(64), node(200)};
    std::vector<std::uint32_t> seen;
    for (NodeId id : nodes) {
        seen.push_back(number(id));
        nodes.erase(id);
    }
    EXPECT_EQ(seen, (std::vector<std::uint32_t>{1, 2, 64, 200}));
    EXPECT_TRUE(nodes.empty());
}

TEST(NodeSet, CombinesWithItself) {
    NodeSet nodes{node(3), node(130)};
    const NodeSet& same = nodes;
    nodes |= same;
    nodes &= same;
    EXPECT_EQ(nodes.size(), 2U);
    nodes -= same;
    EXPECT_TRUE(nodes.empty());
}

}  // namespace
}  // namespace conclave
