// cli/crowd_test.h -- for the tests: applications under locks, each a process of its own.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
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
            ::close_range(STDERR_FILENO + 1, ~0U, 0);  // what the relay closes must be closed
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
    // Tells all to end, and waits; those that do not obey are still there afterwards.
    void expect_all_end() {
        for (std::size_t at = 0; at < size(); ++at) signal(at, SIGTERM);
        EXPECT_TRUE(comes_true([this] {
            bool all = true;
            for (std::size_t at = 0; at < size(); ++at) {
                const std::optional<int> status = alive(at) ? ended(at) : 0;
                EXPECT_EQ(status.value_or(0), 0) << name(at);
                all = all && status;
            }
            return all;
        })) << "some clients go on";
    }
    // None may end but by our hand.
    void expect_all_alive() {
        for (std::size_t at = 0; at < size(); ++at) {
            const auto status = alive(at) ? ended(at) : std::nullopt;
            if (status) ADD_FAILURE() << name(at) << " has ended with status " << *status;
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
    // How this life has ended, if it has.
    std::optional<int> ended(std::size_t at) {
        int status = 0;
        Life& life = clients_[at].back();
        if (::waitpid(life.pid, &status, WNOHANG) != life.pid) return std::nullopt;
        life.pid = -1;
        return status;
    }
    const std::filesystem::path folder_;
    std::vector<std::vector<Life>> clients_;
};

}  // namespace conclave
