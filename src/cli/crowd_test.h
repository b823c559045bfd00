// cli/crowd_test.h -- for the tests: applications under locks, each a process of its own.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/cluster_test.h"
#include "cli/lock_history_test.h"

namespace conclave {

// Each can live several times; every life leaves notes of its own. All end with this object, and
// with this process however that ends.
class Crowd {
public:
    Crowd(std::size_t clients, std::filesystem::path folder)
        : folder_(std::move(folder)), clients_(clients) {
        std::filesystem::create_directory(folder_);
    }
    ~Crowd() {
        for (std::size_t at = 0; at < clients_.size(); ++at) kill(at);
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;

    std::size_t size() const { return clients_.size(); }
    std::string name(std::size_t at) const { return "c" + std::to_string(at + 1); }
    bool alive(std::size_t at) const {
        return !clients_[at].empty() && clients_[at].back().pid > 0;
    }

    void start(std::size_t at, std::uint64_t seed, const std::vector<std::string>& endpoints) {
        const std::string life = name(at) + "." + std::to_string(clients_[at].size() + 1);
        clients_[at].push_back({folder_ / life});
        std::vector<std::string> words{CONCLAVE_CHAOS_CLIENT, (folder_ / life).string(),
                                       std::to_string(seed)};
        words.insert(words.end(), endpoints.begin(), endpoints.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        const pid_t parent = ::getpid();
        const pid_t child = ::fork();
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != parent) ::_exit(125);
            ::execv(arguments[0], arguments.data());
            ::_exit(127);
        }
        ASSERT_GT(child, 0);
        clients_[at].back().pid = child;
    }
    void signal(std::size_t at, int number) const {
        if (alive(at)) ::kill(clients_[at].back().pid, number);
    }
    void kill(std::size_t at) {
        if (!alive(at)) return;
        signal(at, SIGKILL);
        int status = 0;
        ::waitpid(clients_[at].back().pid, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << name(at) << " had ended";
        clients_[at].back().killed = true;
        clients_[at].back().pid = -1;
    }
    // Waits for the end of one that was told to; one that does not obey is still there afterwards.
    void expect_end(std::size_t at) {
        int status = -1;
        const pid_t pid = clients_[at].back().pid;
        EXPECT_TRUE(comes_true([&] { return ::waitpid(pid, &status, WNOHANG) == pid; }))
            << name(at) << " goes on";
        EXPECT_EQ(status, 0) << name(at);
        if (status != -1) clients_[at].back().pid = -1;
    }
    // None may end but by our hand.
    void expect_all_alive() {
        for (std::size_t at = 0; at < size(); ++at) {
            int status = 0;
            if (!alive(at) || ::waitpid(clients_[at].back().pid, &status, WNOHANG) == 0) continue;
            clients_[at].back().pid = -1;
            ADD_FAILURE() << name(at) << " has ended with status " << status;
        }
    }
    LockHistory history_of(std::size_t at) const {
        LockHistory history;
        for (const Life& life : clients_[at]) read_notes(life.notes, life.killed, history);
        return history;
    }
    LockHistory history() const {
        LockHistory all;
        for (const auto& lives : clients_) {
            for (const Life& life : lives) read_notes(life.notes, life.killed, all);
        }
        return all;
    }

private:
    struct Life {
        std::filesystem::path notes;
        pid_t pid = -1;
        bool killed = false;
    };
    const std::filesystem::path folder_;
    std::vector<std::vector<Life>> clients_;
};

}  // namespace conclave
