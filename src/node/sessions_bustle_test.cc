// node/sessions_bustle_test.cc -- whatever clients and the election do, in any order: nobody relies
// on a lease that is given up.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "node/sessions_test.h"

namespace conclave::node {
namespace {

using How = Sessions::Verdict::How;

// Clients that do what they please, and an election that takes and gives as it pleases. Each client
// relies on what it was told and on nothing else.
class Bustle {
public:
    explicit Bustle(std::uint64_t seed) : dice_(seed) {}

    void step() {
        node_.time += 1ns + Duration(1ms) * roll(60);
        if (node_.alarm && *node_.alarm <= node_.time && roll(3) > 0) {  // it may be late
            node_.alarm.reset();
            sessions_.tick();
        }
        switch (roll(9)) {
            case 0:
                return open();
            case 1:
            case 2:
                return elect();
            case 3:
                return recall();
            case 4:
                return stop(anybody(), [this](const auto& id) { sessions_.end(id); });
            case 5:
                return stop(anybody(), [this](const auto& id) { sessions_.resign(id, "main"); });
            case 6:
            case 7:
                return campaign(anybody());
            default:
                return renew(anybody());
        }
    }
    std::size_t elected() const { return epochs_.size(); }

private:
    struct Reliance {
        Epoch epoch{};
        Instant until{};
    };
    // The lease may be somebody else's from now on, here or anywhere.
    struct Node final : MadeUpNode {
        explicit Node(Bustle& bustle) : bustle_(bustle) {}
        void resign(const std::string& group) override {
            bustle_.expect_nobody_relies();
            MadeUpNode::resign(group);
        }
        Bustle& bustle_;
    };

    int roll(int sides) { return static_cast<int>(dice_() % static_cast<unsigned>(sides)); }
    // Of the newest: most of the others are dead.
    std::string anybody() {
        const std::size_t back = 1 + static_cast<std::size_t>(roll(5));
        return back > ids_.size() ? "nobody" : ids_[ids_.size() - back];
    }
    void open() {
        if (const auto opened = sessions_.open("", Duration(1ms) * (100 + roll(900)))) {
            ids_.push_back(opened->id);
        }
    }
    void elect() {
        auto& held = node_.groups["main"].held;
        if (held && node_.time < held->until) {
            held->until = node_.time + 300ms;  // renewed
        } else if (node_.groups["main"].standing.wanted) {
            expect_nobody_relies();
            held = Tenure{Epoch{++epoch_}, node_.time, node_.time + 300ms};
        }
        if (roll(2) == 0) sessions_.changed("main");
    }
    void recall() {
        sessions_.recall("main", [this] {
            expect_nobody_relies();
            if (roll(4) > 0) node_.groups["main"].held.reset();  // else it is refused
        });
    }
    // It has stopped before it says so, and begins nothing because of what it hears meanwhile.
    template <class Say> void stop(const std::string& id, Say say) {
        relies_.erase(id);
        stopping_ = id;
        say(id);
        stopping_.clear();
    }
    void campaign(const std::string& id) {
        sessions_.campaign(id, "main", {Duration(1ms) * roll(500), roll(3)},
                           [this, id](const auto& verdict) {
                               if (verdict.how == How::elected) rely(id, verdict.loan);
                           });
    }
    void renew(const std::string& id) {
        const auto renewal = sessions_.renew(id);
        for (const auto& loan : renewal ? renewal->leading : std::vector<Sessions::Loan>{}) {
            rely(id, loan);
        }
    }
    void rely(const std::string& id, const Sessions::Loan& loan) {
        const auto [owner, first] = epochs_.emplace(loan.epoch.value, id);
        EXPECT_EQ(owner->second, id) << "two have epoch " << loan.epoch.value;
        EXPECT_EQ(epochs_.rbegin()->first, loan.epoch.value) << "an older epoch came back";
        if (id == stopping_) return;
        auto& relies = relies_[id];
        relies = {loan.epoch, std::max(relies.until, node_.time + loan.remaining)};
    }
    void expect_nobody_relies() {
        for (const auto& [id, relies] : relies_) {
            EXPECT_LE(relies.until, node_.time) << id << " still relies on " << relies.epoch.value;
        }
    }

    std::mt19937_64 dice_;
    Node node_{*this};
    Sessions sessions_{node_, {.ttl = 2s, .sessions = 5}};
    std::vector<std::string> ids_;
    std::string stopping_;
    std::map<std::string, Reliance> relies_;
    std::map<std::uint64_t, std::string> epochs_;  // who got which
    std::uint64_t epoch_ = 0;
};

TEST(SessionsInABustle, NobodyReliesOnALeaseThatIsGivenUpAndNoEpochIsLentTwice) {
    std::size_t elected = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Bustle bustle(seed);
        for (int steps = 0; steps < 500; ++steps) bustle.step();
        elected += bustle.elected();
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(elected, 1000u) << "else it shows nothing";
}

}  // namespace
}  // namespace conclave::node
