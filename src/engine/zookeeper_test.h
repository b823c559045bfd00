// engine/zookeeper_test.h -- for the tests: one ensemble for all of them, and who takes part.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/servers_test.h"
#include "engine/zookeeper.h"
#include "engine/zookeeper/session.h"
#include "net/clock.h"
#include "net/links_test.h"

namespace conclave::engine {

// What a contest has said, and when.
class Diary : public Events {
public:
    void reached(const std::string& server) override { servers.push_back(server); }
    void busy() override { is_busy = true; }
    void granted(const locks::Token& is) override {
        token = is;
        granted_at = net::now();
    }
    void renewed() override { ++renewals; }
    void lost() override { lost_at = net::now(); }
    void left() override { has_left = true; }
    void failed(const net::Failure& failure, bool final) override {
        failures.push_back(failure);
        is_final = is_final || final;
    }

    std::vector<std::string> servers;
    bool is_busy = false, has_left = false, is_final = false;
    std::optional<locks::Token> token;
    std::optional<Instant> granted_at, lost_at;
    int renewals = 0;
    std::vector<net::Failure> failures;
};

struct Party {  // stays where it is: the contest knows its diary
    Diary diary;
    std::unique_ptr<Contest> contest;

    bool holds() const { return contest && contest->until().has_value(); }
    void contend(Engine& engine, const Thing& thing, const std::string& holder, Duration session,
                 locks::Terms terms = {}) {
        contest = engine.contend({thing, terms, holder, session}, diary);
    }
};

// The ensemble is started by the first test that needs it, and stays for those after it.
class KeptByZooKeeper : public testing::Test {
protected:
    static void TearDownTestSuite();
    void SetUp() override;

    std::unique_ptr<Engine> connect(const std::string& servers, const std::string& who = "");
    std::unique_ptr<Engine> connect() { return connect(servers()); }
    static std::string servers(std::optional<std::size_t> only = {});  // HOST:PORT,...
    [[nodiscard]] bool waits(const std::function<bool()>& done);       // a minute at most

    Thing leadership() const { return {Thing::Kind::leadership, name_}; }
    Thing lock() const { return {Thing::Kind::lock, name_}; }
    std::string path() const { return name_; }  // of either: the node itself

    // Somebody who is no contest of ours, such as a recipe of Curator's.
    std::shared_ptr<zookeeper::Session> stranger(Duration session = std::chrono::seconds(10));
    zookeeper::Answer answer(const std::function<void(zookeeper::Session::Done)>& ask);
    std::vector<std::string> nodes(const std::string& folder);

    static std::unique_ptr<Servers> ensemble;
    net::TestLoop loop;
    std::shared_ptr<zookeeper::Porter> porter = std::make_shared<zookeeper::Porter>();

private:
    std::string name_;
    std::shared_ptr<zookeeper::Session> eye_;
};

}  // namespace conclave::engine
