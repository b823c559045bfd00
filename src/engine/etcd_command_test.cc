// engine/etcd_command_test.cc -- the command line at real etcd servers, beside etcdctl.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>

#include "cli/run_test.h"
#include "engine/etcd_servers_test.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;

class AtEtcd : public Command {
protected:
    void SetUp() override {
        if (!EtcdServers::installed()) GTEST_SKIP() << "there is no etcd here";
    }
    void start(EtcdServers::Options options = {}) {
        servers.emplace(folder, options);
        ASSERT_TRUE(servers->come_up()) << servers->logs();
    }
    std::string at(std::optional<std::size_t> only = {}) const {
        return "--endpoint " + servers->endpoint(only) + " ";
    }
    Ran here(const std::string& words) const { return run(at() + words, "timeout 60"); }
    // Goes on in the background; its output is in the file of that name.
    Server& background(const std::string& words, const std::string& name) {
        return others.emplace_back(
            std::vector<std::string>{"/bin/sh", "-c",
                                     "exec " + words + " <" + hole() + " >" +
                                         (folder / name).string() + " 2>" +
                                         (folder / (name + ".err")).string()},
            folder / (name + ".log"));
    }
    std::string conclave(const std::string& words) const {
        return std::string(CONCLAVE_BINARY) + " " + words;
    }
    std::string said(const std::string& name) const { return slurp(folder / name); }
    std::string first_line(const std::string& name) const {
        EXPECT_TRUE(comes_true([&] { return said(name).find('\n') != std::string::npos; }))
            << said(name + ".err");
        return said(name).substr(0, said(name).find('\n'));
    }
    // An input that never ends.
    std::string hole() const {
        const auto path = folder / "hole";
        if (!std::filesystem::exists(path) && ::mkfifo(path.c_str(), 0600) == 0) {
            static_cast<void>(::open(path.c_str(), O_RDWR | O_CLOEXEC));
        }
        return path.string();
    }
    std::string etcdctl(const std::string& words) const {
        const std::string endpoints = servers->endpoint().substr(7);
        return "env ETCDCTL_API=3 etcdctl --endpoints " + endpoints + " " + words;
    }

    std::optional<EtcdServers> servers;
    std::deque<Server> others;
};

TEST_F(AtEtcd, LocksAndLeadsAsAtANode) {
    start();
    const Ran ran = here("lock press -- sh -c 'echo $CONCLAVE_LOCK $CONCLAVE_TOKEN; exit 7'");
    EXPECT_EQ(ran.exit, 7) << ran.err;
    EXPECT_EQ(ran.out.substr(0, 6), "press ");
    EXPECT_EQ(here("lock press --grace 10s -- true").exit, 64);
    background(conclave(at() + "lock press"), "holder").start();
    const std::string token = first_line("holder");
    // What it protects can tell the two apart.
    const std::string gate = "fence check --file " + (folder / "gate").string() + " --token ";
    EXPECT_EQ(run(gate + token).exit, 0);
    EXPECT_EQ(run(gate + ran.out.substr(6, ran.out.find('\n') - 6)).exit, 77) << ran.out;
    EXPECT_EQ(here("lock press -n -- true").exit, 75);
    EXPECT_EQ(here("lock press -n -E 9 -- true").exit, 9);
    EXPECT_EQ(here("lock press -w 100ms -- true").exit, 75);
    EXPECT_EQ(here("lock press/small -n -- true").exit, 0);
    const auto locks = here("-o json locks").json();
    ASSERT_EQ(locks.as_array().size(), 1u);
    EXPECT_EQ(locks.as_array()[0].as_object().at("lock"), "press");
    EXPECT_EQ(locks.as_array()[0].as_object().at("token"), boost::json::value(token));

    EXPECT_EQ(here("leader main").exit, 75);
    background(conclave(at() + "-o jsonl watch main"), "watch").start();
    EXPECT_NE(first_line("watch").find("\"leader\":null"), std::string::npos);
    const Ran led = here("lead main -- sh -c 'echo $CONCLAVE_GROUP $CONCLAVE_EPOCH; " +
                         conclave(at() + "leader main'"));
    EXPECT_EQ(led.exit, 0) << led.err;
    EXPECT_NE(led.out.find("\nsh@"), std::string::npos) << led.out;
    EXPECT_TRUE(comes_true([&] {
        const std::string all = said("watch");
        const auto there = all.find("\"leader\":\"sh@");
        return there != all.npos && all.find("\"leader\":null", there) != all.npos;
    })) << said("watch");
    const Ran other = here("status");
    EXPECT_EQ(other.exit, 64) << other.err;
}

TEST_F(AtEtcd, CompetesWithEtcdctlForOneThing) {
    start();
    // Theirs is respected, and seen.
    Server& elected = background(etcdctl("elect main node-a"), "theirs");
    elected.start();
    first_line("theirs");
    const Ran leader = here("leader main --wait 20s");
    EXPECT_EQ(leader.out, "node-a\n") << leader.err;
    EXPECT_EQ(here("leader main --is node-a").exit, 0);
    EXPECT_EQ(here("leader main --is node-b").exit, 1);
    EXPECT_EQ(here("lead main -n -- true").exit, 75);
    Server& lock = background(etcdctl("lock press"), "lock");
    lock.start();
    first_line("lock");
    EXPECT_EQ(here("lock press -n -- true").exit, 75);
    // Ours comes after it, and is respected and seen.
    background(conclave(at() + "lead main -- sh -c 'echo up; exec sleep 600'"), "ours").start();
    elected.signal(SIGTERM);
    EXPECT_EQ(first_line("ours"), "up");
    background(etcdctl("elect --listen main"), "listen").start();
    EXPECT_TRUE(comes_true([&] { return said("listen").find("sh@") != std::string::npos; }))
        << said("listen");
    background(conclave(at() + "lock press -- sh -c 'echo up; exec sleep 600'"), "held").start();
    lock.signal(SIGTERM);
    EXPECT_EQ(first_line("held"), "up");
    EXPECT_EQ(std::system(("timeout 2 " + etcdctl("lock press echo") + " >/dev/null 2>&1").c_str()),
              124 << 8);
}

// The case in which a command under `etcdctl lock` goes on beside the next one: the server hangs.
TEST_F(AtEtcd, ACommandIsStoppedBeforeItsLockCanBeAnothers) {
    start();
    const auto leader = servers->leader();
    ASSERT_TRUE(leader);
    const std::size_t hung = (*leader + 1) % Servers::count;
    background(conclave(at(hung) + "lock press --ttl 2s -- sh -c 'trap \"cat /proc/uptime; exit\" "
                                   "TERM; echo up; while :; do sleep 0.01; done'"),
               "holder")
        .start();
    EXPECT_EQ(first_line("holder"), "up");
    background(conclave(at(*leader) + "lock press -- cat /proc/uptime"), "next").start();
    servers->pause(hung);
    const double begun = std::stod(first_line("next"));
    const std::string all = said("holder");
    ASSERT_NE(all.find('\n') + 1, all.size()) << "it had not ended when the next one began";
    EXPECT_LT(std::stod(all.substr(all.find('\n') + 1)), begun);
    servers->resume(hung);
}

// Somebody takes the lease away, or the key: that is noticed with the next renewal.
TEST_F(AtEtcd, ACommandIsStoppedWhenItsKeyIsTakenAway) {
    start();
    for (const char* how : {"del --prefix press/", "lease revoke "}) {
        const std::string name = std::string("holder") + how[0];
        const std::string job =
            conclave(at() + "lock press --ttl 2s -- sh -c 'echo $CONCLAVE_TOKEN; exec sleep 600'");
        const std::string line = "(" + job + "; echo ended with $? >&2) >" +
                                 (folder / name).string() + " 2>" +
                                 (folder / (name + ".err")).string();
        others.emplace_back(std::vector<std::string>{"/bin/sh", "-c", line}, folder / "job.log");
        others.back().start();
        first_line(name);
        std::string words = how;
        if (words.starts_with("lease")) {
            const std::string keys = servers->control("get --prefix press/ --keys-only");
            words += keys.substr(6, keys.find('\n') - 6);
        }
        servers->control(words);
        EXPECT_TRUE(comes_true([&] {
            return said(name + ".err").find("with 79") != std::string::npos;
        })) << said(name + ".err");
    }
}

TEST_F(AtEtcd, SaysInItsExitCodeWhoIsMissingOrDoesNotLetUsIn) {
    const std::string nobody = "--endpoint etcd://127.0.0.1:" + std::to_string(free_ports(1)[0]);
    EXPECT_EQ(run(nobody + " --timeout 1s lock press -- true").exit, 69);
    EXPECT_EQ(run(nobody + " --timeout 1s leader main").exit, 69);
    EXPECT_EQ(run(nobody + " --timeout 1s locks").exit, 69);
    EXPECT_EQ(run("--endpoint etcd:// lock press -- true").exit, 64);

    start({.tls = true, .size = 1});
    const std::string certs = (folder / "certs").string();
    const std::string believing = "--cacert " + certs + "/ca.crt ";
    const std::string shown = "--cert " + certs + "/etcd.crt --key " + certs + "/etcd.key ";
    const std::string known = at() + believing + shown;
    const Ran ran = run(known + "--timeout 60s lock press -- true", "timeout 90");
    ASSERT_EQ(ran.exit, 0) << ran.err << servers->logs();
    EXPECT_EQ(run(at() + believing + "lock press -- true", "timeout 60").exit, 77);
    EXPECT_EQ(run(at() + shown + "lock press -- true", "timeout 60").exit, 77);
    EXPECT_EQ(run(at() + shown + "leader main", "timeout 60").exit, 77);

    servers->ask_for_password("secret", believing + shown);
    for (const char* who : {"", "CONCLAVE_USER=root CONCLAVE_PASSWORD=wrong"}) {
        const Ran out =
            run(known + "lock press -- true", std::string("env ") + who + " timeout 60");
        EXPECT_EQ(out.exit, 77) << out.err;
    }
    const Ran in = run(known + "lock press -- true",
                       "env CONCLAVE_USER=root CONCLAVE_PASSWORD=secret timeout 60");
    EXPECT_EQ(in.exit, 0) << in.err;
}

}  // namespace
}  // namespace conclave::engine
