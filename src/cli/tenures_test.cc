// cli/tenures_test.cc -- the watch and the judge of tenures_test.h, and that the judge can say no.
#include "cli/tenures_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <optional>

#include "cli/cluster_test.h"
#include "core/print.h"
#include "elect/quorum.h"

namespace conclave {

namespace {

namespace json = boost::json;

NodeId id_at(std::size_t place) { return NodeId{static_cast<std::uint32_t>(place + 1)}; }

Instant instant(const json::value& ns) { return Instant(Duration(ns.to_number<std::int64_t>())); }

std::optional<node::Tenure> read_tenure(const json::value& from) {
    const auto* object = from.if_object();
    const auto* held = object ? object->if_contains("held") : nullptr;
    if (!held) return std::nullopt;
    return node::Tenure{Epoch{held->at("epoch").to_number<std::uint64_t>()},
                        instant(held->at("from_ns")), instant(held->at("until_ns"))};
}

// The group as it was when one of them took office, as far as it is known.
class Scene {
public:
    explicit Scene(std::uint32_t nodes) : states_(nodes) {
        std::vector<Member> members;
        for (std::size_t at = 0; at < nodes; ++at) {
            Member member;
            member.node = id_at(at);
            members.push_back(member);
        }
        members_ = MemberList(std::move(members));
    }
    void take_office(const Reign& one) {
        history_.observe(one.by, LeaderIs{one.by, one.tenure.epoch});
        Quorum& state = states_[members_.index_of(one.by)];
        state.named = {one.by, one.tenure.epoch};
        state.office.emplace();
        state.office->won = state.office->epoch = one.tenure.epoch;
        state.office->since = one.tenure.from;
        state.office->lease_end = state.office->until = one.tenure.until;
    }
    void judge(Instant now, std::vector<std::string>& broken) const {
        std::vector<Standing<Quorum>> nodes;
        for (std::size_t at = 0; at < states_.size(); ++at) {
            nodes.push_back({id_at(at), &states_[at], true, 0, now});
        }
        const View<Quorum> view{nodes, members_, config_, cuts_, history_, now};
        for (const Property<Quorum>& property : Quorum::properties()) {
            if (property.demand != Demand::always) continue;
            if (const auto why = property.broken(view)) {
                broken.push_back(std::string(property.name) + ": " + *why);
            }
        }
    }

private:
    MemberList members_;
    std::vector<Quorum> states_;
    const Quorum::Config config_ = Quorum::configure({});
    const Cuts cuts_;
    History<Quorum> history_;
};

}  // namespace

TenureWatch::TenureWatch(const Cluster& cluster, Duration pause) {
    for (const Cluster::Process& one : cluster.processes()) endpoints_.push_back(one.endpoint());
    thread_ = std::thread([this, pause] {
        while (!over_) {
            for (std::size_t at = 0; at < endpoints_.size() && !over_; ++at) look(at);
            std::this_thread::sleep_for(pause);
        }
    });
}

TenureWatch::~TenureWatch() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
}

void TenureWatch::note(NodeId by, const node::Tenure& tenure) {
    node::Tenure& known = seen_.try_emplace({tenure.from, by}, tenure).first->second;
    known.epoch = std::max(known.epoch, tenure.epoch);
    known.until = std::max(known.until, tenure.until);
}

// It may give up earlier than it must: what it says now is true of now.
void TenureWatch::look(std::size_t at) {
    const json::value said = said_at(endpoints_[at], "/v1/groups/main");
    auto held = read_tenure(said);
    if (!held) return;
    held->until = instant(said.at("clock_ns"));
    note(id_at(at), *held);
}

void TenureWatch::read_history(std::size_t at) {
    const json::value said = said_at(endpoints_[at], "/v1/history?limit=1000&group=main");
    const auto* entries = said.if_array();
    if (!entries) return;
    for (const json::value& entry : *entries) {
        if (const auto held = read_tenure(entry.at("cause"))) note(id_at(at), *held);
    }
}

std::vector<Reign> TenureWatch::all() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    for (std::size_t at = 0; at < endpoints_.size(); ++at) {
        look(at);  // what it holds now, nobody has written down yet
        read_history(at);
    }
    std::vector<Reign> list;
    for (const auto& [key, tenure] : seen_) list.push_back({key.second, tenure});
    return list;
}

void TenureWatch::expect_one_after_the_other() {
    const std::vector<Reign> held = all();
    const auto text = [](Duration length) {
        return to_text(Duration(std::chrono::floor<std::chrono::microseconds>(length)));
    };
    std::string told;
    for (const auto& [by, tenure] : held) {
        told += std::to_string(number(by)) + " held epoch " + std::to_string(tenure.epoch.value) +
                " from " + text(tenure.from - held.front().tenure.from) + " for " +
                text(tenure.until - tenure.from) + "\n";
    }
    EXPECT_GE(held.size(), 2u) << told;
    EXPECT_THAT(broken_by(held, static_cast<std::uint32_t>(endpoints_.size())), testing::IsEmpty())
        << told;
}

std::optional<Instant> TenureWatch::next_office_after(Instant moment) {
    std::optional<Instant> next;
    for (const Reign& one : all()) {
        const Instant from = one.tenure.from;
        if (from > moment && (!next || from < *next)) next = from;
    }
    return next;
}

std::vector<std::string> broken_by(const std::vector<Reign>& history, std::uint32_t nodes) {
    std::vector<std::string> broken;
    Scene scene(nodes);
    for (const Reign& one : history) {
        scene.take_office(one);
        scene.judge(one.tenure.from, broken);
    }
    return broken;
}

namespace {

Reign held(std::uint32_t by, std::uint64_t epoch, int from_ms, int until_ms) {
    const auto at = [](int ms) { return Instant(std::chrono::milliseconds(ms)); };
    return {NodeId{by}, {Epoch{epoch}, at(from_ms), at(until_ms)}};
}

TEST(Tenures, OneAfterTheOtherBreakNothing) {
    EXPECT_THAT(broken_by({held(1, 1, 0, 10), held(2, 2, 10, 20), held(1, 3, 25, 30)}, 3),
                testing::IsEmpty());
}
TEST(Tenures, TwoAtOnceAreSeen) {
    EXPECT_THAT(broken_by({held(1, 1, 0, 11), held(2, 2, 10, 20)}, 3),
                testing::Contains("Q2 at no time two valid leases: 1 and 2 both have a "
                                  "valid lease"));
}
TEST(Tenures, AnEpochThatIsNotAboveAllBeforeIsSeen) {
    EXPECT_THAT(broken_by({held(1, 2, 0, 10), held(2, 2, 15, 20)}, 3),
                testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace conclave
