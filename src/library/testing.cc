#include "conclave/testing.hpp"

#include <stdlib.h>

#include <filesystem>
#include <future>
#include <optional>
#include <stdexcept>

#include "library/core.h"
#include "net/free_ports.h"

namespace conclave {

namespace fs = std::filesystem;

struct TestCluster::House {
    struct Room {
        std::string name, address, config;
        std::optional<Node> node;
        std::optional<std::promise<void>> asleep;  // until it is kept
    };
    TestClusterOptions options;
    fs::path folder;
    std::vector<Room> rooms;

    ~House() {
        rooms.clear();
        std::error_code ignored;
        if (!folder.empty()) fs::remove_all(folder, ignored);
    }
    Room& room(std::size_t number) {
        if (number == 0 || number > rooms.size()) {
            throw std::invalid_argument("there is no node " + std::to_string(number));
        }
        return rooms[number - 1];
    }
    std::string config_of(std::size_t at) const {
        const Room& self = rooms[at];
        const std::string home = (folder / self.name).string();
        std::string text = "[cluster]\nname = \"test\"\n[node]\nid = " + std::to_string(at + 1);
        text.append("\nname = \"").append(self.name);
        text.append("\"\nstate_dir = \"").append(home).append(".state\"\n[peer]\nlisten = \"");
        text.append(self.address).append("\"\n[api]\nlisten = [\"unix:").append(home);
        text.append(".sock\"]\n[locks]\nsession_max = \"");
        text.append(std::to_string(options.session.count())).append("ms\"\n");
        for (const std::string& group : options.groups) {
            text.append("[groups.").append(group).append("]\nlease = \"");
            text.append(std::to_string(options.lease.count())).append("ms\"\n");
        }
        for (std::size_t peer = 0; peer < rooms.size(); ++peer) {
            if (peer == at) continue;
            text.append("[[peers]]\nid = ").append(std::to_string(peer + 1)).append("\nname = \"");
            text.append(rooms[peer].name).append("\"\naddress = \"").append(rooms[peer].address);
            text.append("\"\n");
        }
        return text.append(options.more);
    }
    void start(Room& room) {
        room.node.emplace(Node::start(
            {.text = room.config, .log = [](LogLevel, std::string_view) {}, .leave_within = {}}));
    }
};

TestCluster::TestCluster(TestClusterOptions options) : house_(std::make_unique<House>()) {
    House& house = *house_;
    house.options = std::move(options);
    std::string pattern = (fs::temp_directory_path() / "conclave-test-XXXXXX").string();
    if (!::mkdtemp(pattern.data())) throw std::runtime_error(pattern + ": cannot be made");
    house.folder = pattern;
    const auto ports = net::free_ports(house.options.nodes);
    if (!ports) throw std::runtime_error(ports.error().what);
    for (const auto port : *ports) {
        House::Room room;
        room.name = "n" + std::to_string(house.rooms.size() + 1);
        room.address = "127.0.0.1:" + std::to_string(port);
        house.rooms.push_back(std::move(room));
    }
    for (std::size_t at = 0; at < house.rooms.size(); ++at) {
        house.rooms[at].config = house.config_of(at);
        house.start(house.rooms[at]);
    }
}
TestCluster::TestCluster(TestCluster&&) noexcept = default;
TestCluster::~TestCluster() {
    for (std::size_t at = 1; house_ && at <= house_->rooms.size(); ++at) kill(at);
}

Node& TestCluster::node(std::size_t number) {
    auto& node = house_->room(number).node;
    if (!node) throw std::invalid_argument("node " + std::to_string(number) + " does not run");
    return *node;
}

std::string TestCluster::endpoint(std::size_t number) const {
    return "unix:" + (house_->folder / (house_->room(number).name + ".sock")).string();
}

void TestCluster::kill(std::size_t number) {
    House::Room& room = house_->room(number);
    if (!room.node) return;
    resume(number);  // or it would never hear of its end
    room.node->core_->kill();
    room.node.reset();
}

void TestCluster::restart(std::size_t number) {
    kill(number);
    house_->start(house_->room(number));
}

void TestCluster::cut(std::size_t number) {
    const auto from_others = [](node::Node& node) {
        NodeSet all;
        for (const auto& peer : node.peers()) all.insert(peer.id);
        node.cut_off(std::move(all));
        return true;
    };
    static_cast<void>(node(number).core_->ask(from_others));
}

void TestCluster::heal() {
    for (House::Room& room : house_->rooms) {
        if (!room.node) continue;
        static_cast<void>(room.node->core_->ask([](node::Node& node) {
            node.cut_off({});
            return true;
        }));
    }
}

void TestCluster::pause(std::size_t number) {
    Node& paused = node(number);
    auto& asleep = house_->room(number).asleep;
    if (asleep) return;
    asleep.emplace();
    paused.core_->post([awake = asleep->get_future().share()] { awake.wait(); });
}

void TestCluster::resume(std::size_t number) {
    auto& asleep = house_->room(number).asleep;
    if (asleep) asleep->set_value();
    asleep.reset();
}

}  // namespace conclave
