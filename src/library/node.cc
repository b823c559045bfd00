// library/node.cc -- Node: the door to core.h.
#include <stdexcept>
#include <thread>
#include <utility>

#include "conclave/conclave.hpp"
#include "library/core.h"
#include "library/place.h"

namespace conclave {

Node::Node(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Node::Node(Node&&) noexcept = default;
Node& Node::operator=(Node&& other) noexcept {
    if (this == &other) return *this;
    if (core_) core_->stop();
    core_ = std::move(other.core_);
    return *this;
}
Node::~Node() {
    if (core_) core_->stop();
}

Node Node::start(Options options) {
    auto core = std::make_shared<Core>(std::move(options));
    core->start();
    return Node(std::move(core));
}

const std::string& Node::name() const { return core_->config().node.name; }

Group Node::join(const std::string& group, JoinOptions options) {
    const auto joined = core_->ask([&, core = core_.get()](node::Node& node) {
        node::HostedGroup* const hosted = node.group(group);
        if (hosted) core->take_part(*hosted, options);
        return hosted != nullptr;
    });
    if (joined && !*joined) {
        throw std::invalid_argument("group '" + group + "': it is not in the configuration");
    }
    auto place = std::make_shared<Group::Place>();
    place->core = core_;
    place->name = group;
    place->margin = options.stop_margin;
    place->priority = options.priority;
    return Group(std::move(place));
}

Lock Node::lock(std::string name, LockTerms terms) { return core_->lock(std::move(name), terms); }

bool Node::suspects(std::string_view name) const {
    const auto opinion = core_->ask([name](node::Node& node) -> std::optional<bool> {
        const auto known = node.find(name);
        if (!known) return std::nullopt;
        const auto peer = node.peer(*known);  // nothing: it is ourselves
        return peer && peer->opinion && peer->opinion->status != Status::unsuspected;
    });
    if (opinion && !*opinion) {
        throw std::invalid_argument("node '" + std::string(name) + "': it is not in the cluster");
    }
    return opinion && **opinion;
}

Watch Node::on_suspicion(std::function<void(const Suspicion&)> callback) {
    const auto ear = std::make_shared<Watch::Ear>(core_);
    const auto told = std::make_shared<Core::SuspicionEar>(
        [weak = std::weak_ptr(ear), callback = std::move(callback)](const Suspicion& suspicion) {
            if (const auto kept = weak.lock())
                kept->call([callback, suspicion] { callback(suspicion); });
        });
    ear->keep(told);
    core_->post([core = core_.get(), told] { core->add_ear(told); });
    return Watch(ear);
}

bool Node::drain(std::chrono::nanoseconds wait) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + wait;
    constexpr auto pause = std::chrono::milliseconds(5);
    core_->post([core = core_.get()] { core->node().drain(true); });
    for (;;) {
        const auto leads = core_->ask([](node::Node& node) {
            bool any = false;
            for (const auto& group : node.groups()) any = any || group->leads();
            return any;
        });
        if (!leads.value_or(false)) return true;
        if (Clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
    }
}

void Node::undrain() {
    core_->post([core = core_.get()] { core->node().drain(false); });
}

std::optional<std::string> Node::failure() const { return core_->failure(); }

}  // namespace conclave
