// cli/cluster_lead_test.cc -- `conclave lead` on real nodes: what it runs is over before anybody
// else runs, whatever happens to the node, to the command, or to itself.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cluster_test.h"
#include "net/json_members.h"

namespace conclave {
namespace {

// A command in the background; it ends with the test, politely, so that it leaves nobody behind.
class Background {
public:
    Background(const std::vector<std::string>& words, const std::filesystem::path& output) {
        pid_ = ::fork();
        if (pid_ != 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        static_cast<void>(!std::freopen(output.c_str(), "w", stdout));
        static_cast<void>(!std::freopen(output.c_str(), "a", stderr));
        std::vector<char*> list;
        for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
        list.push_back(nullptr);
        ::execv(list[0], list.data());
        ::_exit(127);
    }
    ~Background() {
        if (pid_ <= 0 || exit_) return;
        signal(SIGTERM);
        if (comes_true([&] { return ::waitpid(pid_, nullptr, WNOHANG) == pid_; })) return;
        signal(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

    void signal(int number) const { ::kill(pid_, number); }
    // How it ended; waits for that. -1: it goes on, or a signal ended it.
    int exit() {
        int status = 0;
        const bool over = comes_true([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; });
        EXPECT_TRUE(over) << "it goes on";
        exit_ = over && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return *exit_;
    }

private:
    pid_t pid_ = -1;
    std::optional<int> exit_;
};

class LeadCommand : public RealCluster {
protected:
    // Nobody stands unless somebody campaigns. A lease that busy machines can live with.
    void start_nodes(std::uint32_t nodes) {
        Cluster::Plan plan =
            plan_of("quorum", nodes, "lease = \"2s\"\n[locks]\nsession_max = \"4s\"\n");
        plan.candidate = false;
        prepare(plan);
        write_script(folder / "job", job);
        restart();
        for (const std::size_t at : everybody()) {
            ASSERT_TRUE(comes_true([&] { return group_at(at).is_object(); })) << logs();
        }
    }
    void TearDown() override {
        leads.clear();
        kill_all();
        RealCluster::TearDown();
    }
    // Every moment it lives, child and grandchild write down the time since boot and their epoch;
    // the child ends when it is asked to, the grandchild does not listen.
    static constexpr const char* job =
        "live() { while :; do read -r up rest </proc/uptime; echo \"$up $CONCLAVE_EPOCH\" >>$1 || "
        "exit; "
        "sleep 0.02; done; }\n"
        "(trap '' TERM; live \"$1.grandchild\") &\n"
        "live \"$1.child\"\n";

    struct Moment {
        double at = 0;
        std::uint64_t epoch = 0;
    };
    // What was written down, so far.
    std::vector<Moment> lived(const std::string& name) const {
        std::vector<Moment> moments;
        for (const char* who : {".child", ".grandchild"}) {
            std::istringstream lines(slurp(folder / (name + who)));
            std::string line;
            while (std::getline(lines, line)) {
                Moment one;
                if (std::istringstream(line) >> one.at >> one.epoch) moments.push_back(one);
            }
        }
        std::ranges::sort(moments, {}, &Moment::at);
        return moments;
    }
    bool runs(const std::string& name) const {
        const std::size_t before = lived(name).size();
        return before > 0 && comes_true([&] { return lived(name).size() > before; });
    }
    std::string at_node(std::size_t at) const { return "--endpoint " + process(at).endpoint(); }

    // A `lead` at this node that runs the job as `name`.
    Background& lead(std::size_t at, const std::string& name,
                     const std::vector<std::string>& options = {}) {
        return lead_by(process(at).endpoint(), name, options);
    }
    Background& lead_by(const std::string& endpoints, const std::string& name,
                        const std::vector<std::string>& options = {}) {
        std::vector<std::string> words{program, "--endpoint", endpoints, "lead", "main"};
        words.insert(words.end(), options.begin(), options.end());
        for (const std::string& word :
             {std::string("--"), (folder / "job").string(), (folder / name).string()}) {
            words.push_back(word);
        }
        return leads.emplace_back(words, folder / (name + ".said"));
    }
    // One that whoever leads knows of, so that it begins the moment there is room for it.
    void expect_waiting(std::size_t at) const {
        EXPECT_TRUE(comes_true([&] { return metric(at, "conclave_sessions") == 1; })) << logs();
        expect_renewals(at, 1);
    }
    bool comes_to_run(const std::string& name) const {
        return comes_true([&] { return !lived(name).empty(); });
    }
    void expect_one_after_the_other(const std::string& first, const std::string& second) const {
        const auto before = lived(first), after = lived(second);
        ASSERT_FALSE(before.empty());
        ASSERT_FALSE(after.empty());
        EXPECT_LE(before.back().at, after.front().at);
        EXPECT_LT(before.back().epoch, after.front().epoch);
    }
    void resign(std::size_t at) const {
        EXPECT_TRUE(ask_node(at, "/v1/groups/main/resign", "POST", boost::json::object{}).good());
    }

    // With each of them the leader hears how good the node is.
    void expect_renewals(std::size_t at, std::uint64_t more) const {
        const auto sent = [&] {
            const auto view = group_at(at);
            return view.at("messages").at("Renewed").at("sent").to_number<std::uint64_t>();
        };
        const std::uint64_t before = sent();
        EXPECT_TRUE(comes_true([&] { return sent() >= before + more; })) << logs();
    }

    std::deque<Background> leads;
};

// --- Nobody runs beside another. -----------------------------------------------------------------

TEST_F(LeadCommand, IsOverBeforeAnotherBeginsWhenItsNodeIsKilled) {
    start_nodes(3);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(1, "second");
    expect_waiting(1);
    kill(0);
    ASSERT_TRUE(comes_to_run("second")) << logs();
    EXPECT_EQ(first.exit(), 79) << slurp(folder / "first.said");
    expect_one_after_the_other("first", "second");
}

TEST_F(LeadCommand, IsStoppedWithinTheLeaseWhenItsNodeHangs) {
    start_nodes(3);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(1, "second");
    expect_waiting(1);
    kill(0, SIGSTOP);
    EXPECT_EQ(first.exit(), 79) << slurp(folder / "first.said");
    ASSERT_TRUE(comes_to_run("second")) << logs();
    kill(0, SIGCONT);
    expect_one_after_the_other("first", "second");
}

// While it waits. Nobody else stands, so it would never run there.
TEST_F(LeadCommand, GoesToAnotherNodeWhenItsOwnHangs) {
    start_nodes(3);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead_by(process(1).endpoint() + "," + process(2).endpoint(), "second");
    expect_waiting(1);
    kill(1, SIGSTOP);
    expect_waiting(2);
    resign(0);
    EXPECT_EQ(first.exit(), 79) << slurp(folder / "first.said");
    ASSERT_TRUE(comes_to_run("second")) << logs();
    kill(1, SIGCONT);
    expect_one_after_the_other("first", "second");
}

// A person wants another leader: the command has stopped before the node hands over.
TEST_F(LeadCommand, IsOverBeforeAnotherBeginsWhenItsNodeResigns) {
    start_nodes(3);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(1, "second");
    expect_waiting(1);
    ASSERT_TRUE(runs("first"));
    resign(0);
    EXPECT_EQ(first.exit(), 79) << slurp(folder / "first.said");
    ASSERT_TRUE(comes_to_run("second")) << logs();
    expect_one_after_the_other("first", "second");
}

TEST_F(LeadCommand, IsOverBeforeAnotherBeginsWhenItsNodeLeaves) {
    start_nodes(3);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(1, "second");
    expect_waiting(1);
    kill(0, SIGTERM);
    EXPECT_EQ(first.exit(), 79) << slurp(folder / "first.said");
    EXPECT_EQ(end_of(0), "n1 ended with exit code 0");
    ASSERT_TRUE(comes_to_run("second")) << logs();
    expect_one_after_the_other("first", "second");
}

TEST_F(LeadCommand, OfTwoAtOneNodeTheSecondGetsALaterEpoch) {
    start_nodes(1);
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(0, "second");
    first.signal(SIGTERM);
    EXPECT_EQ(first.exit(), 128 + SIGTERM);
    ASSERT_TRUE(comes_to_run("second")) << logs();
    expect_one_after_the_other("first", "second");
}

// With equal priorities it would be n3's, the higher id; and at n2 the one that asked first.
TEST_F(LeadCommand, TheBestWhoWaitsLeadsNextWhereverItWaits) {
    start_nodes(3);
    Background& first = lead(0, "first", {"--priority", "1"});
    ASSERT_TRUE(comes_to_run("first")) << logs();
    const auto waits = [&](std::size_t at, const std::string& name, const std::string& priority) {
        lead(at, name, {"--priority", priority});
        EXPECT_TRUE(comes_true([&] {
            return number_member(group_at(at), "attribute") == std::stoull(priority);
        })) << name
            << logs();
    };
    waits(1, "early", "2");
    waits(1, "best", "7");
    waits(2, "good", "5");
    for (const std::size_t at : {std::size_t{1}, std::size_t{2}}) expect_renewals(at, 2);
    first.signal(SIGTERM);
    ASSERT_TRUE(comes_to_run("best")) << logs();
    EXPECT_TRUE(lived("good").empty());
    EXPECT_TRUE(lived("early").empty());
    expect_one_after_the_other("first", "best");
}

// The kernel kills the child; its session runs out, and with it the lead.
TEST_F(LeadCommand, IsFollowedByAnotherWhenItIsKilled) {
    start_nodes(1);
    write_script(folder / "job",
                 "while :; do read -r up rest </proc/uptime; echo \"$up $CONCLAVE_EPOCH\" >>"
                 "$1.child; sleep 0.02; done\n");
    Background& first = lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    lead(0, "second");
    first.signal(SIGKILL);
    EXPECT_EQ(first.exit(), -1);
    ASSERT_TRUE(comes_to_run("second")) << logs();
    expect_one_after_the_other("first", "second");
}

TEST_F(LeadCommand, CampaignsAgainWithRestart) {
    start_nodes(1);
    lead(0, "job1", {"--restart"});
    ASSERT_TRUE(comes_to_run("job1")) << logs();
    const std::uint64_t epoch = lived("job1").back().epoch;
    resign(0);
    EXPECT_TRUE(comes_true([&] { return lived("job1").back().epoch > epoch; }))
        << slurp(folder / "job1.said") << logs();
}

// --- What a person sees. -------------------------------------------------------------------------

TEST_F(LeadCommand, EndsAsTheCommandEndsAndLetsGoOfTheLeadAtOnce) {
    start_nodes(1);
    const std::string lead = at_node(0) + " lead main ";
    EXPECT_EQ(run(lead + "-- sh -c 'exit 7'").exit, 7);
    EXPECT_EQ(run(lead + "-- sh -c 'kill -9 $$'").exit, 128 + SIGKILL);
    EXPECT_EQ(run(lead + "-- /nowhere/at/all").exit, 127);
    std::ofstream(folder / "text") << "no program\n";
    const Ran ran = run(lead + "-- " + (folder / "text").string());
    EXPECT_EQ(ran.exit, 126);
    EXPECT_NE(ran.err.find("text"), std::string::npos) << ran.err;
}

TEST_F(LeadCommand, TellsItsCommandWhatItLeadsInEpochsThatGrow) {
    start_nodes(1);
    const std::string show = at_node(0) +
                             " lead main -- sh -c 'echo $CONCLAVE_GROUP $CONCLAVE_NODE "
                             "$CONCLAVE_ENDPOINT; echo $CONCLAVE_EPOCH'";
    std::uint64_t last = 0;
    for (int again = 0; again < 3; ++again) {
        std::istringstream said(run(show).out);
        std::string group, node, endpoint;
        std::uint64_t epoch = 0;
        said >> group >> node >> endpoint >> epoch;
        EXPECT_EQ(group, "main");
        EXPECT_EQ(node, "n1");
        EXPECT_EQ(endpoint, process(0).endpoint());
        EXPECT_GT(epoch, last);
        last = epoch;
    }
}

TEST_F(LeadCommand, KeepsStandardInput) {
    start_nodes(1);
    std::ofstream(folder / "letter") << "dear child\n";
    const std::string line = program + " " + at_node(0) + " lead main -- cat <" +
                             (folder / "letter").string() + " >" + (folder / "copy").string();
    EXPECT_EQ(std::system(line.c_str()), 0);
    EXPECT_EQ(slurp(folder / "copy"), "dear child\n");
}

TEST_F(LeadCommand, SaysInItsExitCodeWhyItDidNotRun) {
    start_nodes(3);
    const std::string nobody = "--endpoint unix:" + (folder / "nobody").string();
    EXPECT_EQ(run(nobody + " lead main -- true").exit, 69);
    EXPECT_EQ(run(at_node(0) + " lead nothing -- true").exit, 64);
    EXPECT_EQ(run(at_node(0) + " lead main -w soon -- true").exit, 64);
    EXPECT_EQ(run(at_node(0) + " lead main --priority 1000000001 -- true").exit, 64);
    EXPECT_EQ(run("--endpoint etcd://127.0.0.1:1 lead main --priority 1 -- true").exit, 64);
    const Ran ran = run(at_node(0) + " lead main --grace 1001ms -- true");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("does not fit into a lease of 2s"), std::string::npos) << ran.err;
    EXPECT_EQ(run(at_node(0) + " lead main --grace 1s -- true").exit, 0);

    lead(0, "first");
    ASSERT_TRUE(comes_to_run("first")) << logs();
    ASSERT_TRUE(comes_true([&] { return named_by(1) == "n1"; }));
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        EXPECT_EQ(run(at_node(at) + " lead main -n -- true").exit, 75) << at;
        EXPECT_EQ(run(at_node(at) + " lead main -n -E 9 -- true").exit, 9) << at;
        EXPECT_EQ(run(at_node(at) + " lead main -w 100ms -- true").exit, 75) << at;
    }
    EXPECT_TRUE(runs("first")) << "nobody has taken anything from it";
}

TEST_F(LeadCommand, NeedsAnElectionWithLeases) {
    prepare("bully", 1);
    restart();
    expect_leader("n1");
    const Ran ran = run(at_node(0) + " lead main -- true");
    EXPECT_EQ(ran.exit, 64);
    EXPECT_NE(ran.err.find("has no lease"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace conclave
