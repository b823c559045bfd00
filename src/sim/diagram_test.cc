// sim/diagram_test.cc -- pictures of runs every textbook draws, and what must be seen in them.
#include "sim/diagram.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/golden.h"

namespace conclave {
namespace {

using Index = Diagram::Index;
using Fate = Diagram::Fate;
using Kind = Diagram::Kind;
using What = Diagram::Mark::What;

std::size_t count(std::string_view text, std::string_view word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
}

Diagram with_lanes(Index nodes, std::string title, std::string subtitle, double end) {
    Diagram diagram;
    diagram.title = std::move(title);
    diagram.subtitle = std::move(subtitle);
    diagram.end = end;
    for (Index i = 1; i <= nodes; ++i) {
        diagram.lanes.push_back({NodeId{i}, "p" + std::to_string(i)});
    }
    return diagram;
}

// In these stories nodes go by their number, lanes by their index: node 1 is lane 0.
void send(Diagram& diagram, Index from, Index to, double sent, std::string label,
          double flight = 1) {
    diagram.arrows.push_back(
        {from - 1, to - 1, sent, sent + flight, std::move(label), Fate::delivered, Kind::source});
}

void mark(Diagram& diagram, What what, Index node, double at, std::string label = "") {
    diagram.marks.push_back({what, node - 1, at, std::move(label)});
}

void names(Diagram& diagram, Index node, double from, double to, Index leader) {
    diagram.reigns.push_back({node - 1, from, to, {}});
    if (leader != 0) diagram.reigns.back().leader = leader - 1;
}

Diagram bully() {
    auto run = with_lanes(5, "Bully: the leader crashes and node 2 notices",
                          "5 nodes, messages take 1, answers are awaited for 2", 9);
    for (Index node = 1; node <= 4; ++node)
        names(run, node, 0, node == 1 ? 7 : node == 2 ? 3 : 4, 5);
    names(run, 5, 0, 1, 5);
    mark(run, What::crash, 5, 1);
    run.down.push_back({4, 1, 9});
    mark(run, What::suspect, 2, 3, "suspects 5");
    for (const Index to : {3U, 4U, 5U}) send(run, 2, to, 3, "ELECTION");
    run.arrows.back().fate = Fate::lost;
    mark(run, What::arm, 2, 3, "NoAnswer");
    send(run, 3, 2, 4, "ANSWER");
    send(run, 4, 2, 4, "ANSWER");
    for (const Index to : {4U, 5U}) send(run, 3, to, 4, "ELECTION");
    run.arrows.back().fate = Fate::lost;
    send(run, 4, 5, 4, "ELECTION");
    run.arrows.back().fate = Fate::lost;
    mark(run, What::arm, 3, 4, "NoAnswer");
    mark(run, What::arm, 4, 4, "NoAnswer");
    send(run, 4, 3, 5, "ANSWER");
    mark(run, What::arm, 2, 5, "NoVictor");
    mark(run, What::timer, 4, 6, "NoAnswer");
    for (const Index to : {1U, 2U, 3U}) send(run, 4, to, 6, "COORDINATOR");
    names(run, 2, 3, 7, 0);
    names(run, 3, 4, 7, 0);
    names(run, 4, 4, 6, 0);
    names(run, 4, 6, 9, 4);
    for (Index node = 1; node <= 3; ++node) names(run, node, 7, 9, 4);
    return run;
}

Diagram ring() {
    auto run = with_lanes(8, "Ring (Chang and Roberts): the dearest case, 3N - 1 = 23 messages",
                          "8 nodes; node 1 starts, and the winner is the last that it reaches", 24);
    mark(run, What::call, 1, 0, "campaign");
    double now = 0;
    const auto pass = [&](Index from, std::string label) {
        send(run, from, from % 8 + 1, now, std::move(label));
        now += 1;
    };
    for (Index node = 1; node <= 7; ++node) pass(node, "ELECTION " + std::to_string(node));
    for (Index i = 0; i < 8; ++i) pass((7 + i) % 8 + 1, "ELECTION 8");
    names(run, 8, now, 24, 8);
    for (Index i = 0; i < 8; ++i) {
        pass((7 + i) % 8 + 1, "ELECTED 8");
        if (i < 7) names(run, i + 1, now, 24, 8);
    }
    return run;
}

// Heartbeats, acknowledged appointments, a partition with a leader on each side, and a reunion.
class Storm {
public:
    Diagram run = with_lanes(12, "Twelve nodes: a partition, losses, restarts",
                             "node 12 leads; {1..7} are cut off from {8..12} from 14 to 30", 44);

    Diagram tell() {
        for (Index node = 1; node <= 12; ++node) names(run, node, 0, node <= 7 ? 19 : 30, 12);
        run.cuts.push_back({14, 30, "cut: 1..7 | 8..12", {0, 1, 2, 3, 4, 5, 6}});
        for (double t = 2; t < 44; t += 6) beat(12, t);
        for (double t = 24; t < 30; t += 6) beat(7, t);
        mark(run, What::crash, 3, 7.5);
        run.down.push_back({2, 7.5, 11});
        mark(run, What::restart, 3, 11);
        run.reigns[2].to = 7.5;
        run.paused.push_back({8, 9, 13});
        for (const Index node : {1U, 2U, 4U, 5U, 6U, 7U})
            mark(run, What::suspect, node, 19, node == 7 ? "suspects 12" : "");
        appoint(7, 19, 1, 7);
        for (Index node = 1; node <= 6; ++node) names(run, node, 21.5, 34.5, 7);
        names(run, 7, 19, 33, 7);
        mark(run, What::trust, 7, 32, "12 is back");
        send(run, 7, 12, 32, "YIELD");
        appoint(12, 34, 1, 11);
        for (Index node = 1; node <= 7; ++node) names(run, node, node == 7 ? 35.5 : 36, 44, 12);
        for (Index node = 8; node <= 12; ++node) run.reigns[node - 1].to = 44;
        return run;
    }

private:
    double delay() {  // between 0.6 and 1.6, the same on every machine
        dice_ = dice_ * 1103515245U + 12345U;
        return 0.6 + (dice_ >> 16U) % 100U * 0.01;
    }
    bool cut(Index a, Index b, double at) const {
        return at >= 14 && at < 30 && (a <= 7) != (b <= 7);
    }
    Diagram::Arrow& shoot(Index from, Index to, double at, std::string label, Kind kind) {
        send(run, from, to, at, std::move(label), delay());
        auto& arrow = run.arrows.back();
        arrow.kind = kind;
        const bool unlucky = (dice_ >> 16U) % 17U == 0;
        const bool dead = to == 3 && at > 6.5 && at < 11;
        if (cut(from, to, at) || unlucky || dead) arrow.fate = Fate::lost;
        if (arrow.arrived > 44) arrow.fate = Fate::in_flight;
        return arrow;
    }
    void beat(Index leader, double at) {
        for (Index node = 1; node <= 12; ++node) {
            if (node != leader) shoot(leader, node, at, "alive", Kind::detector);
        }
    }
    void appoint(Index leader, double at, Index first, Index last) {
        mark(run, What::timer, leader, at, "Quiet");
        for (Index node = first; node <= last; ++node) {
            if (node == leader) continue;
            const auto sent = shoot(leader, node, at, "COORDINATOR", Kind::source);
            if (sent.fate == Fate::delivered)
                shoot(node, leader, sent.arrived, "ack", Kind::repair);
        }
    }
    std::uint32_t dice_ = 7;
};

Diagram critical_section() {
    auto run =
        with_lanes(3, "Ricart and Agrawala: two requests at once, the older stamp goes first",
                   "stamps (1, p1) < (1, p3): p1 defers its answer to p3 until it leaves", 8);
    mark(run, What::call, 1, 0, "wants it");
    mark(run, What::call, 3, 0, "wants it");
    for (const Index to : {2U, 3U}) send(run, 1, to, 0, "ASK 1,p1");
    for (const Index to : {1U, 2U}) send(run, 3, to, 0, "ASK 1,p3", to == 2 ? 1.7 : 1);
    send(run, 2, 1, 1, "YIELD");
    send(run, 3, 1, 1, "YIELD");
    send(run, 2, 3, 1.7, "YIELD");
    mark(run, What::note, 1, 1, "deferred: p3");
    run.held.push_back({0, 2, 5});
    send(run, 1, 3, 5, "YIELD");
    run.held.push_back({2, 6, 8});
    return run;
}

TEST(Diagram, DrawsTheBully) { expect_golden("bully.svg", to_svg(bully())); }
TEST(Diagram, DrawsTheRing) { expect_golden("ring.svg", to_svg(ring())); }
TEST(Diagram, DrawsTheStorm) { expect_golden("storm.svg", to_svg(Storm{}.tell())); }
TEST(Diagram, DrawsTheCriticalSection) {
    expect_golden("critical_section.svg", to_svg(critical_section()));
}

TEST(Diagram, IsTheSameEveryTime) { EXPECT_EQ(to_svg(Storm{}.tell()), to_svg(Storm{}.tell())); }

TEST(Diagram, ShowsEveryLaneArrowAndLoss) {
    const auto run = bully();
    const auto picture = to_svg(run);
    EXPECT_EQ(count(picture, "data-what=\"lane\""), 5U);
    for (const auto& lane : run.lanes)
        EXPECT_NE(picture.find(">" + lane.label + "<"), picture.npos);
    EXPECT_EQ(count(picture, "data-what=\"lost\""), 3U);
    EXPECT_EQ(count(picture, "data-what=\"delivered\""), run.arrows.size() - 3);
    EXPECT_EQ(picture.find("labels left out"), picture.npos);
}

TEST(Diagram, NamesABroadcastOnce) {
    EXPECT_EQ(count(to_svg(bully()), ">COORDINATOR<"), 1U);
    EXPECT_EQ(count(to_svg(bully()), ">ANSWER<"), 3U);  // from three nodes
}

TEST(Diagram, EscapesWhatPeopleWrite) {
    auto run = with_lanes(2, "a < b & \"c\"", "bell \a, broken \xC3(", 2);
    send(run, 1, 2, 0, "<script>");
    const auto picture = to_svg(run);
    EXPECT_NE(picture.find("a &lt; b &amp; &quot;c&quot;"), picture.npos);
    EXPECT_EQ(picture.find("<script>"), picture.npos);
    EXPECT_EQ(picture.find('\a'), picture.npos);
    EXPECT_NE(picture.find("broken \xEF\xBF\xBD("), picture.npos);
}

TEST(Diagram, HasNothingThatClashesOrLoads) {
    const auto picture = to_svg(Storm{}.tell());
    for (const std::string_view word : {" id=", "<style", "<script", "href", "url("}) {
        EXPECT_EQ(picture.find(word), picture.npos) << word;
    }
}

TEST(Diagram, SurvivesTheSmallest) {
    EXPECT_NE(to_svg(Diagram{}).find("</svg>"), std::string::npos);
    auto run = with_lanes(1, "alone", "", 0);
    send(run, 1, 1, 0, "to myself", 0);
    names(run, 1, 0, 0, 1);
    EXPECT_NE(to_svg(run).find(">to myself<"), std::string::npos);
}

TEST(Diagram, FoldsSilence) {
    auto run = with_lanes(3, "a long wait", "", 10'000);
    send(run, 1, 2, 0, "PING");
    send(run, 2, 3, 9'000, "PING");
    const auto picture = to_svg(run);
    EXPECT_NE(picture.find("idle time folded"), picture.npos);
    EXPECT_NE(picture.find("viewBox=\"0 0 "), picture.npos);
    EXPECT_LT(std::stod(picture.substr(picture.find("viewBox=") + 13)), 1'000);
}

}  // namespace
}  // namespace conclave
