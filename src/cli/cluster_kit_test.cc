// cli/cluster_kit_test.cc -- the cluster of the tests; see cluster_test.h.
#include <algorithm>
#include <boost/json/object.hpp>
#include <chrono>
#include <fstream>
#include <initializer_list>
#include <numeric>
#include <regex>
#include <utility>
#include <variant>

#include "cli/cluster_test.h"
#include "net/http_client.h"

namespace conclave {

namespace {

namespace json = boost::json;

std::uint64_t number(const json::value& from, std::initializer_list<std::string_view> path) {
    const json::value* at = &from;
    for (const std::string_view key : path) {
        const auto* object = at->if_object();
        at = object ? object->if_contains(key) : nullptr;
        if (!at) return 0;
    }
    return at->is_number() ? at->to_number<std::uint64_t>() : 0;
}

}  // namespace

void write_script(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

json::value said_at(const std::string& endpoint, const std::string& target) {
    Endpoint whom;
    whom.urls = endpoint;
    whom.silent = true;
    Reply reply = ask(whom, "GET", target);
    return reply.good() ? std::move(reply.body) : json::value{};
}

void RealCluster::prepare(const Cluster::Plan& plan) {
    auto prepared = Cluster::prepare(plan);
    ASSERT_TRUE(prepared) << prepared.error().what;
    cluster.emplace(std::move(*prepared));
}

void RealCluster::restart() {
    const auto error = cluster->start();
    ASSERT_FALSE(error) << error->what;
}

void RealCluster::open_port(std::size_t at, const std::string& settings) const {
    const auto path = process(at).folder / "node.toml";
    const std::string text =
        std::regex_replace(slurp(path), std::regex("(\\[api\\]\nlisten = \\[\"[^\"]*\")\\]\n"),
                           "$1, \"127.0.0.1:0\"]\n" + settings);
    std::ofstream(path, std::ios::trunc) << text;
}

std::string RealCluster::api_address(std::size_t at) const {
    const std::string log = log_of(at);
    std::smatch found;
    const bool open = std::regex_search(log, found, std::regex("address=(127\\.0\\.0\\.1:\\d+)"));
    EXPECT_TRUE(open) << log;
    return open ? found[1].str() : "";
}

Reply RealCluster::ask_node(std::size_t at, const std::string& target, const char* method,
                            const json::value& body) const {
    Endpoint endpoint;
    endpoint.urls = process(at).endpoint();
    endpoint.silent = true;
    return ask(endpoint, method, target, body);
}

std::string RealCluster::named_by(std::size_t at) const {
    const json::value said = group_at(at);
    const auto* group = said.if_object();
    if (!group) return "?";
    const auto& leader = group->at("leader");
    return leader.is_string() ? std::string(leader.get_string()) : "nobody";
}

RealCluster::Places RealCluster::everybody() const {
    Places all(cluster->processes().size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

std::string RealCluster::named_by_all(const Places& some) const {
    std::string all;
    for (const std::size_t at : some) {
        if (process(at).pid < 0) continue;
        const std::string named = named_by(at);
        if (!all.empty() && named != all) return "different nodes";
        all = named;
    }
    return all;
}

void RealCluster::expect_leader(const std::string& name, const Places& some) {
    ASSERT_TRUE(comes_true([&] { return named_by_all(some) == name; }))
        << "they name " << named_by_all(some) << "\n"
        << logs();
}

std::string RealCluster::leader_among(const Places& some) {
    std::string named;
    const bool agreed = comes_true([&] {
        named = named_by_all(some);
        return std::ranges::any_of(some, [&](auto at) { return process(at).name == named; });
    });
    EXPECT_TRUE(agreed) << "they name " << named << "\n" << logs();
    return agreed ? named : "";
}

void RealCluster::survives_a_crash(const std::string& algorithm, const std::string& in_the_end) {
    start(algorithm);
    expect_leader("n5");
    kill(4);
    expect_leader("n4");
    restart();
    expect_leader(in_the_end);
}

std::size_t RealCluster::place(const std::string& name) const {
    for (std::size_t at = 0; at < cluster->processes().size(); ++at) {
        if (process(at).name == name) return at;
    }
    return 0;
}

bool RealCluster::leads(std::size_t at) const {
    const json::value said = group_at(at);
    const auto* group = said.if_object();
    return group && group->at("mine").as_bool();
}

std::uint64_t RealCluster::epoch_at(std::size_t at) const {
    return number(group_at(at), {"epoch"});
}

std::uint64_t RealCluster::received_at(std::size_t at, std::string_view type) const {
    return number(group_at(at), {"messages", type, "received"});
}

std::uint64_t RealCluster::changes_at(std::size_t at) const {
    return number(group_at(at), {"index"});
}

double RealCluster::metric(std::size_t at, const std::string& name) const {
    net::ClientOptions way;
    way.endpoints = {*net::parse_http_endpoint(process(at).endpoint())};
    const net::Outcome outcome = net::ask(way, {.target = "/metrics"}, std::chrono::seconds(90));
    const std::string page = std::get<net::Answer>(outcome).body;
    const auto line = page.find("\n" + name + " ");
    return line == page.npos ? -1 : std::stod(page.substr(line + name.size() + 2));
}

void RealCluster::kill(std::size_t at, int signal) {
    const pid_t pid = process(at).pid;
    ASSERT_GT(pid, 0);
    ::kill(pid, signal);
    if (signal != SIGKILL) return;
    ASSERT_TRUE(comes_true([&] {
        static_cast<void>(cluster->ended());
        return process(at).pid < 0;
    }));
}

void RealCluster::kill_all() {
    for (const std::size_t at : everybody()) {
        if (process(at).pid >= 0) kill(at);
    }
}

std::string RealCluster::end_of(std::size_t at) {
    std::string end;
    const bool ended = comes_true([&] {
        for (const std::string& words : cluster->ended()) {
            if (words.starts_with(process(at).name + " ")) end = words;
        }
        return !end.empty();
    });
    EXPECT_TRUE(ended) << process(at).name << " goes on\n" << logs();
    return end;
}

bool RealCluster::logs_at(std::size_t at, std::string_view words) const {
    return comes_true([&] { return log_of(at).find(words) != std::string::npos; });
}

std::string RealCluster::logs() const {
    std::string all;
    for (const Cluster::Process& one : cluster->processes()) {
        all += "--- " + one.name + "\n" + slurp(one.folder / "log");
    }
    return all;
}

}  // namespace conclave
