// node/metrics_test.cc -- what Prometheus reads, as it reads it.
#include "node/metrics.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace conclave::node {
namespace {

using namespace std::chrono_literals;

const MetricLabels labels{
    .version = "1.2.3", .groups = {"billing", "a\"b\\c\nd"}, .peers = {"n2", "n3"}};

Snapshot quiet() {
    Snapshot now;
    now.groups.resize(labels.groups.size());
    now.peers.resize(labels.peers.size());
    now.messages = {{"Beat", 0, 0}, {"Vote", 0, 0}};
    return now;
}

struct Page {
    std::map<std::string, std::string> types, values;  // by family; by series
    std::set<std::string> helped;

    explicit Page(const std::string& text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string hash, what, name, rest;
            if (line.starts_with("# ")) {
                words >> hash >> what >> name >> rest;
                if (what == "TYPE") types[name] = rest;
                if (what == "HELP" && !rest.empty()) helped.insert(name);
            } else {
                const std::size_t space = line.rfind(' ');
                values[line.substr(0, space)] = line.substr(space + 1);
            }
        }
    }
    double operator[](const std::string& series) const {
        const auto found = values.find("conclave_" + series);
        return found == values.end() ? std::nan("") : std::stod(found->second);
    }
    bool has(const std::string& series) const { return values.contains("conclave_" + series); }
};

TEST(Metrics, AllOfThemAreThereWithTheirTypes) {
    const std::map<std::string, std::set<std::string>> promised{
        {"gauge",
         {"build_info", "group_has_leader", "group_is_leader", "group_epoch", "group_members",
          "lease_remaining_seconds", "detector_timeout_seconds", "peer_connected", "locks_held",
          "lock_waiters", "lock_sessions", "sessions", "certificate_expiry_timestamp_seconds"}},
        {"counter",
         {"leader_changes_total", "suspicions_total", "false_suspicions_total",
          "messages_sent_total", "messages_received_total", "lock_lost_total",
          "recorded_bytes_total", "recorder_dropped_total"}},
        {"histogram",
         {"failover_seconds", "heartbeat_delay_seconds", "peer_rtt_seconds", "lock_wait_seconds",
          "loop_lag_seconds", "api_request_duration_seconds"}},
    };
    Metrics metrics(labels);
    metrics.request("groups", 200, 1ms);
    Snapshot now = quiet();
    now.groups[0].lease_remaining = 100ms;
    now.peers[0].detector_timeout = 500ms;
    now.certificate_expiry = std::chrono::sys_seconds(1'800'000'000s);
    const Page page(metrics.text(now));
    std::size_t count = 0;
    for (const auto& [type, names] : promised) {
        for (const std::string& name : names) {
            const std::string whole = "conclave_" + name;
            ASSERT_TRUE(page.types.contains(whole)) << name;
            EXPECT_EQ(page.types.at(whole), type) << name;
            EXPECT_TRUE(page.helped.contains(whole)) << name;
            ++count;
        }
    }
    EXPECT_EQ(page.types.size(), count) << "one that nobody promised";
}

TEST(Metrics, NamesFollowPrometheusHabits) {
    Metrics metrics(labels);
    metrics.request("groups", 200, 1ms);
    for (const auto& [name, type] : Page(metrics.text(quiet())).types) {
        EXPECT_TRUE(name.starts_with("conclave_")) << name;
        EXPECT_EQ(name.ends_with("_total"), type == "counter") << name;
        if (type == "histogram") {
            EXPECT_TRUE(name.ends_with("_seconds")) << name;
        }
        EXPECT_EQ(name.find("_ms"), std::string::npos) << name;
    }
}

TEST(Metrics, NothingThatHappenedYetIsZeroAndNotMissing) {
    Metrics metrics(labels);
    const Page page(metrics.text(quiet()));
    for (const char* series :
         {"group_has_leader{group=\"billing\"}", "group_is_leader{group=\"billing\"}",
          "leader_changes_total{group=\"billing\",reason=\"suspected\"}",
          "leader_changes_total{group=\"billing\",reason=\"merged\"}",
          "suspicions_total{peer=\"n3\"}", "false_suspicions_total{peer=\"n2\"}",
          "messages_sent_total{type=\"Vote\"}", "peer_connected{peer=\"n2\"}", "lock_lost_total",
          "failover_seconds_count", "locks_held"}) {
        EXPECT_EQ(page[series], 0) << series;
    }
    EXPECT_EQ(page["build_info{version=\"1.2.3\"}"], 1);
}

TEST(Metrics, EachEventCountsForItsOwnSeries) {
    Metrics metrics(labels);
    metrics.leader_changed(GroupPlace{0}, LeaderChange::expired);
    metrics.leader_changed(GroupPlace{0}, LeaderChange::expired);
    metrics.suspected(PeerPlace{0});
    metrics.suspected_wrongly(PeerPlace{1});
    metrics.lock_lost();
    const Page page(metrics.text(quiet()));
    EXPECT_EQ(page["leader_changes_total{group=\"billing\",reason=\"expired\"}"], 2);
    EXPECT_EQ(page["leader_changes_total{group=\"billing\",reason=\"first\"}"], 0);
    EXPECT_EQ(page["suspicions_total{peer=\"n2\"}"], 1);
    EXPECT_EQ(page["suspicions_total{peer=\"n3\"}"], 0);
    EXPECT_EQ(page["false_suspicions_total{peer=\"n2\"}"], 0);
    EXPECT_EQ(page["false_suspicions_total{peer=\"n3\"}"], 1);
    EXPECT_EQ(page["lock_lost_total"], 1);
}

TEST(Metrics, WhatIsRecordedIsATotalToo) {
    Metrics metrics(labels);
    Snapshot now = quiet();
    now.recorded_bytes = 1000;
    static_cast<void>(metrics.text(now));
    now.recorded_bytes = 1500;
    now.dropped_steps = 3;
    const Page page(metrics.text(now));
    EXPECT_EQ(page["recorded_bytes_total"], 1500);
    EXPECT_EQ(page["recorder_dropped_total"], 3);
}

TEST(Metrics, MessagesAreTotalsThatTheMachinesCounted) {
    Metrics metrics(labels);
    Snapshot now = quiet();
    now.messages[0] = {"Beat", 7, 5};
    static_cast<void>(metrics.text(now));
    now.messages[0].sent = 9;
    const Page page(metrics.text(now));
    EXPECT_EQ(page["messages_sent_total{type=\"Beat\"}"], 9);
    EXPECT_EQ(page["messages_received_total{type=\"Beat\"}"], 5);
    EXPECT_EQ(page["messages_sent_total{type=\"Vote\"}"], 0);
}

TEST(Metrics, TimesAreSecondsInTheirBuckets) {
    Metrics metrics(labels);
    metrics.failover(250ms);
    metrics.loop_lag(3ms);
    metrics.heartbeat_delay(-5ms);
    metrics.peer_rtt(80us);
    metrics.lock_wait(2h);
    metrics.request("groups", 200, 4ms);
    metrics.request("groups", 200, 4ms);
    metrics.request("groups", 503, 4ms);
    const Page page(metrics.text(quiet()));
    EXPECT_DOUBLE_EQ(page["failover_seconds_sum"], 0.25);
    EXPECT_EQ(page["failover_seconds_bucket{le=\"0.2\"}"], 0);
    EXPECT_EQ(page["failover_seconds_bucket{le=\"0.3\"}"], 1);
    EXPECT_DOUBLE_EQ(page["loop_lag_seconds_sum"], 0.003);
    EXPECT_EQ(page["heartbeat_delay_seconds_sum"], 0) << "a sum never sinks";
    EXPECT_EQ(page["heartbeat_delay_seconds_count"], 1);
    EXPECT_EQ(page["peer_rtt_seconds_bucket{le=\"0.0001\"}"], 1);
    EXPECT_EQ(page["lock_wait_seconds_bucket{le=\"300\"}"], 0);
    EXPECT_EQ(page["lock_wait_seconds_bucket{le=\"+Inf\"}"], 1);
    EXPECT_EQ(page["api_request_duration_seconds_count{code=\"200\",route=\"groups\"}"], 2);
    EXPECT_EQ(page["api_request_duration_seconds_count{code=\"503\",route=\"groups\"}"], 1);
    metrics.loop_lag(2ms);
    const Page later(metrics.text(quiet()));
    EXPECT_DOUBLE_EQ(later["loop_lag_seconds_sum"], 0.005);
    EXPECT_EQ(later["loop_lag_seconds_bucket{le=\"0.0025\"}"], 1);
    EXPECT_EQ(later["loop_lag_seconds_bucket{le=\"0.005\"}"], 2);
    EXPECT_EQ(later["loop_lag_seconds_count"], 2);
}

TEST(Metrics, GaugesShowTheMomentOfTheScrape) {
    Metrics metrics(labels);
    Snapshot now = quiet();
    now.groups[0] = {.has_leader = true,
                     .is_leader = true,
                     .epoch = {42},
                     .unsuspected = 2,
                     .suspected = 1,
                     .failed = 0,
                     .lease_remaining = 150ms};
    now.peers[1] = {.connected = true, .detector_timeout = 500ms};
    now.certificate_expiry = std::chrono::sys_seconds(1'800'000'123s);
    now.sessions = 7;
    const Page page(metrics.text(now));
    EXPECT_EQ(page["group_is_leader{group=\"billing\"}"], 1);
    EXPECT_EQ(page["group_epoch{group=\"billing\"}"], 42);
    EXPECT_EQ(page["group_members{group=\"billing\",state=\"unsuspected\"}"], 2);
    EXPECT_EQ(page["group_members{group=\"billing\",state=\"failed\"}"], 0);
    EXPECT_EQ(page["lease_remaining_seconds{group=\"billing\"}"], 0.15);
    EXPECT_EQ(page["detector_timeout_seconds{peer=\"n3\"}"], 0.5);
    EXPECT_FALSE(page.has("detector_timeout_seconds{peer=\"n2\"}"));
    EXPECT_EQ(page["certificate_expiry_timestamp_seconds"], 1'800'000'123);
    EXPECT_EQ(page["sessions"], 7);
    const Page later(metrics.text(quiet()));
    EXPECT_EQ(later["group_is_leader{group=\"billing\"}"], 0);
    EXPECT_FALSE(later.has("lease_remaining_seconds{group=\"billing\"}"));
    EXPECT_FALSE(later.has("detector_timeout_seconds{peer=\"n3\"}"));
    EXPECT_FALSE(later.has("certificate_expiry_timestamp_seconds"));
}

TEST(Metrics, AnOddNameBreaksNoLine) {
    Metrics metrics(labels);
    metrics.leader_changed(GroupPlace{1}, LeaderChange::first);
    const Page page(metrics.text(quiet()));
    EXPECT_EQ(page[R"(leader_changes_total{group="a\"b\\c\nd",reason="first"})"], 1);
}

TEST(Metrics, TheSameStateIsTheSameText) {
    Metrics one(labels), other(labels);
    other.request("status", 200, 1ms);
    one.request("groups", 200, 1ms);
    other.request("groups", 200, 1ms);
    one.request("status", 200, 1ms);
    EXPECT_EQ(one.text(quiet()), other.text(quiet()));
}

TEST(Metrics, PromtoolFindsNothingWrong) {
    if (std::system("command -v promtool >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool";
    std::string file = (std::filesystem::temp_directory_path() / "conclave-XXXXXX").string();
    ::close(mkstemp(file.data()));
    Metrics metrics(labels);
    metrics.request("groups", 200, 1ms);
    std::ofstream(file) << metrics.text(quiet());
    EXPECT_EQ(std::system(("promtool check metrics <" + file).c_str()), 0);
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace conclave::node
