// check/graph_test.cc -- endless runs of graphs drawn by hand.
#include "check/graph.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace conclave {
namespace {

struct Sketch {
    bool broken;
    std::initializer_list<std::pair<std::uint32_t, std::uint8_t>> edges;  // where to, by whom
    bool cut = false;
};

Graph draw(std::initializer_list<Sketch> states) {
    Graph graph;
    for (const Sketch& state : states) {
        graph.add_state(state.broken, state.cut);
        for (const auto& [to, actor] : state.edges) graph.add_edge(to, actor);
    }
    return graph;
}

TEST(Graph, ATrapIsUnrecoverable) {
    // 0 may go on to 1, which is good, or fall into 2, from where nothing leads.
    const Graph graph = draw({{true, {{1, 0}, {2, 0}}}, {false, {{0, 0}}}, {true, {}}});
    EXPECT_EQ(graph.find_unrecoverable(graph.ends(), 0), 2U);
    EXPECT_EQ(graph.find_unsettled(graph.ends(), 0), 2U);
    EXPECT_EQ(graph.find_fair_cycle(0), 2U);
}

TEST(Graph, ComingBackIsRecoverableButNotSettled) {
    const Graph graph = draw({{true, {{1, 0}}}, {false, {{0, 0}}}});
    EXPECT_FALSE(graph.find_unrecoverable(graph.ends(), 0));
    EXPECT_EQ(graph.find_unsettled(graph.ends(), 0), 0U);
    EXPECT_FALSE(graph.find_fair_cycle(0));
}

TEST(Graph, AnEndlessRunIsFairUnlessItKeepsSomebodyFromActing) {
    // The first actor circles between 0 and 1; the second could end it in 2 at any time.
    const Graph unfair =
        draw({{true, {{1, 0}, {2, 1}}}, {true, {{0, 0}, {2, 1}}}, {false, {{2, 1}}}});
    EXPECT_FALSE(unfair.find_fair_cycle(0));
    // In 1 it could not: it was not kept from anything that it could do all the time.
    const Graph fair = draw({{true, {{1, 0}, {2, 1}}}, {true, {{0, 0}}}, {false, {{2, 1}}}});
    EXPECT_EQ(fair.find_fair_cycle(0), 0U);
    EXPECT_FALSE(fair.find_unrecoverable(fair.ends(), 0));
}

TEST(Graph, WhatWasNotFollowedIsNotBlamed) {
    const Graph bounded = draw({{true, {{1, 0}}}, {true, {}, true}});
    EXPECT_FALSE(bounded.find_unrecoverable(bounded.ends(), 0));
    const Graph limited = draw({{true, {{1, 0}}}});  // 1 was found and never expanded
    EXPECT_FALSE(limited.find_unsettled(limited.ends(), 0));
    EXPECT_FALSE(limited.find_fair_cycle(0));
}

TEST(Graph, PropertiesAreKeptApart) {
    Graph graph;
    graph.add_state(0b10, false);
    EXPECT_FALSE(graph.find_unrecoverable(graph.ends(), 0));
    EXPECT_EQ(graph.find_unrecoverable(graph.ends(), 1), 0U);
}

}  // namespace
}  // namespace conclave
