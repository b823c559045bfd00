// node/village_test.h -- three nodes with real hosts and recorders, of which only time and the ways
// between them are made up.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "catalog/hosts.h"
#include "node/flight_recorder.h"
#include "node/hosted_group.h"
#include "node/recordings_test.h"
#include "sim/dice.h"

namespace conclave::node {

using namespace std::chrono_literals;

template <class T, class Table>
std::unique_ptr<T> make_named(const Table& table, std::string_view name) {
    for (const auto& entry : table) {
        if (entry.name == name) return entry.make();
    }
    return nullptr;
}

class Village {
public:
    struct Plan {
        std::filesystem::path folder;
        std::string algorithm = "quorum";
        std::set<std::uint32_t> absent{};
        std::uint64_t room = 100'000'000;
        bool boots = true;
    };
    explicit Village(const Plan& plan)
        : plan_(plan), host_(make_named<Host>(hosts(), plan.algorithm)) {
        for (std::uint32_t id = 1; id <= 3; ++id) cottages_.emplace_back(*this, NodeId{id});
        for (Cottage& one : cottages_) {
            if (!plan_.absent.contains(number(one.self))) one.move_in();
        }
    }

    std::filesystem::path folder_of(std::uint32_t id) const {
        return plan_.folder / ("n" + std::to_string(id));
    }
    void run(Duration length) {
        const Instant end = now_ + length;
        while (!agenda_.empty() && agenda_.begin()->first <= end) {
            const auto next = agenda_.extract(agenda_.begin());
            now_ = next.key();
            next.mapped()();
        }
        now_ = end;
    }
    // As SIGKILL does it: what was handed to the disk stays.
    void kill(std::uint32_t id) { cottages_[id - 1].leave(); }
    void restart(std::uint32_t id) { cottages_[id - 1].move_in(); }
    void suspect(std::uint32_t observer, std::uint32_t subject) {
        cottages_[observer - 1].group->machine().hear(Suspected{NodeId{subject}});
    }
    void seat(const MemberList& members) {  // all of them
        for (Cottage& one : cottages_) {
            one.group->seat(members);
            one.recorder->reseat();
            one.group->machine().hear(MembersChanged{});
        }
    }
    HostedGroup::Answer ask(std::uint32_t id, const Wish& wish) {
        return cottages_[id - 1].group->ask(wish);
    }
    HostedGroup& group(std::uint32_t id) { return *cottages_[id - 1].group; }
    std::optional<std::uint32_t> leader_by(std::uint32_t id) {
        const auto leader = cottages_[id - 1].group->leader();
        return leader ? std::optional(number(*leader)) : std::nullopt;
    }

private:
    struct Cottage final : Estate {
        Cottage(Village& the_village, NodeId id) : village(the_village), self(id) {}

        void move_in() {
            incarnation = incarnation.next();
            ++tenancy;
            Placement placed;
            placed.self = self;
            placed.members = MemberList({{NodeId{1}}, {NodeId{2}}, {NodeId{3}}});
            placed.incarnation = incarnation;
            placed.attribute = number(self);
            placed.settings.nodes = 3;
            placed.settings.tm = 9ms;
            placed.settings.tp = 2ms;
            group = std::make_unique<HostedGroup>("main", village.plan_.algorithm, 0,
                                                  *village.host_, placed, *this);
            FlightRecorder::Settings settings;
            settings.folder = village.folder_of(number(self));
            settings.bytes = village.plan_.room;
            settings.head.cluster = "village";
            settings.head.node = self;
            settings.head.name = "n" + std::to_string(number(self));
            settings.head.incarnation = incarnation;
            settings.head.clock = "village";
            settings.machines = [this] { return std::vector{group->portrait()}; };
            settings.now = [this] { return now(); };
            recorder = std::make_unique<FlightRecorder>(std::move(settings), village.log_);
            if (!village.plan_.boots) return;
            ASSERT_FALSE(group->machine().boot(disk));
        }
        void leave() {
            ++tenancy;
            recorder.reset();
            group.reset();
        }
        // Later, if the same tenant still lives here.
        void later(Duration wait, std::function<void()> what) {
            village.agenda_.emplace(now() + wait, [this, who = tenancy, what = std::move(what)] {
                if (who == tenancy) what();
            });
        }

        Instant moment() override { return now(); }
        Instant now() const { return village.now_; }
        Duration draw(Wait wait) override { return village.dice_.between(wait.least, wait.most); }
        void send(std::uint32_t, NodeId to, ByteView message, net::Hurry) override {
            if (number(to) > village.cottages_.size()) return;  // nobody lives there
            Cottage& other = village.cottages_[number(to) - 1];
            if (!other.group) return;
            Bytes copy(message.begin(), message.end());
            Instant& last = village.ways_[{self, to}];
            last = std::max(last, now() + village.dice_.between(100us, 3ms));
            other.later(last - now(), [this, &other, copy = std::move(copy)] {
                EXPECT_TRUE(other.group->machine().receive(self, copy));
            });
        }
        void alarm(std::uint32_t, Instant due, std::uint32_t stamp) override {
            later(due - now(), [this, stamp] { group->machine().fire(stamp); });
        }
        void save(std::uint32_t, ByteView record) override {
            later(1ms, [this, copy = Bytes(record.begin(), record.end())] {
                disk = copy;
                group->machine().saved();
            });
        }
        void changed(const Change&) override {}
        void told(std::uint32_t, const Told&) override {}
        bool recording() const override { return recorder && recorder->on(); }
        void record(wire::RecordedStep step, std::optional<NodeId> from) override {
            if (from) step.life = village.cottages_[number(*from) - 1].incarnation;
            recorder->step(step);
        }

        Village& village;
        const NodeId self;
        Incarnation incarnation{};
        std::uint64_t tenancy = 0;
        std::optional<Bytes> disk;
        std::unique_ptr<FlightRecorder> recorder;
        std::unique_ptr<HostedGroup> group;
    };

    Plan plan_;
    LogLines log_;
    std::unique_ptr<Host> host_;
    Dice dice_{7};
    Instant now_{1h};
    std::multimap<Instant, std::function<void()>> agenda_;
    std::map<std::pair<NodeId, NodeId>, Instant> ways_;  // they keep the order of what they carry
    std::deque<Cottage> cottages_;
};

}  // namespace conclave::node
