// bench/locks/zookeeper_driver.cc -- N clients of ZooKeeper that lock and unlock by its recipe,
// each with a session of its own and one operation outstanding: the counterpart of driver.cc.
//
//     zookeeper_driver HOST:PORT[,...] CLIENTS SECONDS one-each | one-for-all
//
// A lock is a folder; who has the first of the ephemeral sequential nodes there holds it, and the
// others watch the one before their own. Each client has a thread here, and the library two more.
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto warm_up = std::chrono::seconds(1);
constexpr int session_ms = 30'000;

void check(int code, const char* what) {
    if (code == ZOK) return;
    std::fprintf(stderr, "zookeeper_driver: %s: %s\n", what, zerror(code));
    std::exit(1);
}

class Signal {
public:
    void raise() {
        const std::lock_guard lock(mutex_);
        raised_ = true;
        changed_.notify_all();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return raised_; });
        raised_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool raised_ = false;
};

class Client {
public:
    Client(const char* hosts, std::string folder) : folder_(std::move(folder)) {
        zoo_ = zookeeper_init(hosts, heard, session_ms, nullptr, this, 0);
        if (!zoo_) check(ZSYSTEMERROR, "zookeeper_init");
        connected_.wait();
        const int made =
            zoo_create(zoo_, folder_.c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE, 0, nullptr, 0);
        if (made != ZNODEEXISTS) check(made, folder_.c_str());
    }

    void lock() {
        std::array<char, 256> path{};
        check(zoo_create(zoo_, (folder_ + "/n-").c_str(), "", 0, &ZOO_OPEN_ACL_UNSAFE,
                         ZOO_EPHEMERAL | ZOO_SEQUENCE, path.data(), path.size()),
              "create");
        mine_ = path.data();
        for (std::string before; !(before = the_one_before()).empty();) {
            const int code = zoo_wexists(zoo_, before.c_str(), gone, this, nullptr);
            if (code == ZNONODE) continue;
            check(code, "exists");
            predecessor_gone_.wait();
        }
    }
    void unlock() { check(zoo_delete(zoo_, mine_.c_str(), -1), "delete"); }

private:
    std::string the_one_before() {
        String_vector names{};
        check(zoo_get_children(zoo_, folder_.c_str(), 0, &names), "children");
        std::string best;
        for (int at = 0; at < names.count; ++at) {
            std::string path = folder_ + "/" + names.data[at];
            if (path < mine_ && path > best) best = std::move(path);
        }
        deallocate_String_vector(&names);
        return best;
    }
    static void heard(zhandle_t*, int type, int state, const char*, void* self) {
        if (type == ZOO_SESSION_EVENT && state == ZOO_CONNECTED_STATE)
            static_cast<Client*>(self)->connected_.raise();
    }
    static void gone(zhandle_t*, int type, int, const char*, void* self) {
        if (type != ZOO_SESSION_EVENT) static_cast<Client*>(self)->predecessor_gone_.raise();
    }

    const std::string folder_;
    std::string mine_;
    Signal connected_, predecessor_gone_;
    zhandle_t* zoo_ = nullptr;
};

std::vector<double> lock_and_unlock(Client& client, Clock::duration counted) {
    std::vector<double> pairs;
    const auto start = Clock::now();
    while (Clock::now() - start < warm_up + counted) {
        const auto before = Clock::now();
        client.lock();
        client.unlock();
        const std::chrono::duration<double, std::micro> took = Clock::now() - before;
        if (before - start > warm_up) pairs.push_back(took.count());
    }
    return pairs;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fputs("zookeeper_driver: HOSTS CLIENTS SECONDS WHICH\n", stderr);
        return 64;
    }
    zoo_set_debug_level(ZOO_LOG_LEVEL_ERROR);
    const int clients = std::atoi(argv[2]), seconds = std::atoi(argv[3]);
    const bool together = argv[4] == std::string("one-for-all");
    std::vector<std::vector<double>> each(static_cast<std::size_t>(clients));
    std::latch ready(clients);
    std::vector<std::thread> threads;
    for (int at = 0; at < clients; ++at) {
        threads.emplace_back([&, at] {
            const std::string folder = together ? "/lock" : "/lock-" + std::to_string(at);
            Client client(argv[1], folder);
            ready.arrive_and_wait();
            each[static_cast<std::size_t>(at)] =
                lock_and_unlock(client, std::chrono::seconds(seconds));
        });
    }
    for (std::thread& thread : threads) thread.join();
    std::vector<double> pairs;
    for (const auto& some : each) pairs.insert(pairs.end(), some.begin(), some.end());
    if (pairs.empty()) check(ZOPERATIONTIMEOUT, "not one pair");
    std::ranges::sort(pairs);
    const auto at = [&](double share) {
        return pairs[static_cast<std::size_t>(share * double(pairs.size() - 1))];
    };
    std::printf("zookeeper %d %.0f %.0f %.0f\n", clients, double(pairs.size()) / seconds, at(0.5),
                at(0.99));
    std::fflush(stdout);
    std::_Exit(0);  // sessions end with the process
}
