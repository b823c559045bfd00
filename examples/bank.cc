// bank -- an account on three replicas, and two tellers that both believe to lead.
//
// A teller reads the balance, adds a deposit and writes the sum. The first one is stopped between
// its last look at the clock and its write; it loses the lead meanwhile, the next teller does its
// work, and then the first one writes what it had worked out. No clock can prevent that. A replica
// can: it refuses the epoch of a leader that has been succeeded.
#include <array>
#include <chrono>
#include <conclave/fence.hpp>
#include <conclave/testing.hpp>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

namespace {

class Replica {
public:
    explicit Replica(bool fenced) : fenced_(fenced) {}
    int balance() const { return balance_; }
    bool write(conclave::FencingToken token, int balance) {
        if (fenced_ && !gate_.admit(token)) return false;
        balance_ = balance;
        return true;
    }

private:
    const bool fenced_;
    conclave::FenceGate gate_;
    int balance_ = 100;
};

class Account {
public:
    explicit Account(bool fenced) : replicas_{Replica(fenced), Replica(fenced), Replica(fenced)} {}
    int balance() const { return replicas_.front().balance(); }
    bool write(conclave::FencingToken token, int balance) {
        bool all = true;
        for (Replica& one : replicas_) all = one.write(token, balance) && all;
        return all;
    }

private:
    std::array<Replica, 3> replicas_;
};

// What is in the account after two deposits of 10 and 20.
int balance_after_two_deposits(conclave::TestCluster& cluster, bool fenced) {
    Account account(fenced);
    conclave::Mandate first = cluster.node(1).join("main").campaign();
    int sum = account.balance() + 10;
    // Here it stands still for too long, and its node with it.
    cluster.pause(1);
    {
        const conclave::Mandate second = cluster.node(2).join("main").campaign();
        while (first.held()) std::this_thread::sleep_for(1ms);  // never: it lost before that
        account.write(second.token(), account.balance() + 20);
    }
    const bool written = account.write(first.token(), sum);
    cluster.resume(1);
    first.resign();
    while (!written && account.balance() != 130) {  // refused: so it begins anew
        const conclave::Mandate again = cluster.node(1).join("main").campaign();
        sum = account.balance() + 10;
        account.write(again.token(), sum);
    }
    return account.balance();
}

}  // namespace

int main() {
    conclave::TestCluster cluster;
    const int lost = balance_after_two_deposits(cluster, false);
    const int kept = balance_after_two_deposits(cluster, true);
    std::printf("100 + 10 + 20 without fencing: %d\n", lost);
    std::printf("100 + 10 + 20 with fencing:    %d\n", kept);
    return lost == 110 && kept == 130 ? 0 : 1;
}
