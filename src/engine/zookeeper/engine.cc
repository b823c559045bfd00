#include <utility>
#include <vector>

#include "engine/zookeeper.h"
#include "engine/zookeeper/contest.h"
#include "engine/zookeeper/observer.h"

namespace conclave::engine {

namespace {

class ZooKeeper final : public Engine {
public:
    explicit ZooKeeper(std::shared_ptr<zookeeper::Ground> ground) : ground_(std::move(ground)) {}

    ~ZooKeeper() override {
        for (const auto& weak : observing_) {
            if (const auto observing = weak.lock()) zookeeper::close(observing);
        }
        ground_->porter->end();  // nothing is posted to the loop after this
    }

    std::unique_ptr<Contest> contend(Claim claim, Events& events) override {
        if (!std::exchange(asked_, true)) keep(zookeeper::ask_shortest(ground_));
        return zookeeper::contend(ground_, claim, events);
    }
    void look(const Thing& thing, Duration limit, Told<Standing> told) override {
        keep(zookeeper::look(ground_, thing, limit, std::move(told)));
    }
    void list(Thing::Kind kind, Duration limit, Told<std::vector<Standing>> told) override {
        keep(zookeeper::list(ground_, kind, limit, std::move(told)));
    }
    std::unique_ptr<Watch> watch(const Thing& thing,
                                 std::function<void(const Found<Standing>&)> seen) override {
        return zookeeper::watch(ground_, thing, std::move(seen));
    }

private:
    void keep(const zookeeper::Observing& observing) {
        std::erase_if(observing_, [](const auto& weak) { return weak.expired(); });
        observing_.push_back(observing);
    }

    const std::shared_ptr<zookeeper::Ground> ground_;
    std::vector<std::weak_ptr<zookeeper::Observer>> observing_;
    bool asked_ = false;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_zookeeper(boost::asio::io_context& loop, const Place& place) {
    std::string servers;
    for (const std::string& server : place.servers) {
        servers.append(servers.empty() ? "" : ",").append(server);
    }
    if (place.secure) {
        return Error{servers + ": the ZooKeeper client that this was built with has no TLS"};
    }
    std::string credentials;
    if (!place.user.empty()) credentials.append(place.user).append(":").append(place.password);
    auto ground = std::make_shared<zookeeper::Ground>(zookeeper::Ground{
        loop, std::make_shared<zookeeper::Porter>(), servers, credentials, place.root});
    return std::unique_ptr<Engine>(std::make_unique<ZooKeeper>(std::move(ground)));
}

}  // namespace conclave::engine
