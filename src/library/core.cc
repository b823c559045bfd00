#include "library/core.h"

#include <stdexcept>

#include "node/log.h"
#include "node/placing.h"

namespace conclave {

namespace {

// The application's sink. It hears of everything in time, or not at all: a thousand lines wait.
class Teller final : public LogSink {
public:
    using Sink = std::function<void(LogLevel, std::string_view)>;
    Teller(Dispatcher& dispatcher, Level level, Sink sink)
        : dispatcher_(dispatcher),
          level_(level),
          sink_(std::make_shared<const Sink>(std::move(sink))) {}

    using LogSink::log;
    void log(Level level, std::string_view event, std::span<const LogField> fields) override {
        if (level < level_) return;
        constexpr std::size_t waiting = 1000;
        std::string line = node::log_body(node::LogFormat::logfmt, level, event, fields);
        dispatcher_.offer([sink = sink_, level,
                           line = std::move(line)] { (*sink)(static_cast<LogLevel>(level), line); },
                          waiting);
    }

private:
    Dispatcher& dispatcher_;
    const Level level_;
    const std::shared_ptr<const Sink> sink_;  // the last lines outlive this
};

}  // namespace

Node::Core::Core(Options options) : options_(std::move(options)) {}

void Node::Core::take_config() {
    const node::Overrides overrides{{}, options_.settings};
    const node::Known known = node::known_algorithms();
    node::Loaded loaded = options_.file.empty()
                              ? node::parse_config(options_.text, "options", overrides, known)
                              : node::load_config(options_.file, overrides, known);
    if (!loaded.config) throw std::invalid_argument(node::to_text(loaded.errors.front()));
    config_ = std::move(*loaded.config);
}

void Node::Core::start() {
    take_config();
    const SignalsKeptOff quiet;
    if (options_.log) {
        log_ = std::make_unique<Teller>(dispatcher_, config_.log.level, options_.log);
    } else {
        log_ = std::make_unique<node::Log>(
            node::LogSettings{.level = config_.log.level, .format = config_.log.format});
    }
    running_ = std::make_unique<node::RunningNode>(
        loop_, config_, *log_, node::RunningNode::Hooks{.ended = [this] { ended(); }});
    if (const auto end = running_->start()) throw std::runtime_error(end->why);
    node().set_opinion_ear([this](const node::PeerState& peer, bool trusted) {
        tell({peer.name, !trusted, peer.evidence});
    });
    node().set_notice_ear(
        [this](node::HostedGroup& group, const node::Told& notice) { heed(group, notice); });
    thread_ = std::thread([this] { run(); });
}

// Whoever has posted before the end is served, and whoever comes later is told that nobody will.
void Node::Core::run() {
    std::optional<std::string> trouble;
    try {
        loop_.run();
    } catch (const std::exception& thrown) {  // no memory, say: the host decides what to do
        trouble = thrown.what();
        bid_farewell();
    }
    {
        const std::lock_guard guard(mutex_);
        closed_ = true;
        if (trouble) failure_ = trouble;
    }
    loop_.restart();
    loop_.poll();
}

void Node::Core::stop() {
    end_with([this] {
        bid_farewell();
        running_->leave(options_.leave_within);
    });
}

void Node::Core::kill() {
    end_with([this] { running_->end(); });
}

void Node::Core::end_with(std::function<void()> how) {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard guard(client_mutex_);
        leaving_ = true;
        client_.reset();
    }
    post(std::move(how));
    thread_.join();
    running_.reset();  // another node may have its folder and its ports
}

void Node::Core::bid_farewell() {
    for (const auto& weak : std::exchange(farewells_, {})) {
        if (const auto then = weak.lock()) (*then)();
    }
}

// Left, or the disk has failed.
void Node::Core::ended() {
    bid_farewell();
    loop_.stop();
    const std::lock_guard guard(mutex_);
    if (running_->how().how == node::NodeEnd::How::disk) failure_ = running_->how().why;
}

std::optional<std::string> Node::Core::failure() {
    const std::lock_guard guard(mutex_);
    return failure_;
}

bool Node::Core::post(std::function<void()> task) {
    const std::lock_guard guard(mutex_);
    if (closed_) return false;
    boost::asio::post(loop_, std::move(task));
    return true;
}

Node::Core::Farewell Node::Core::when_ending(std::function<void()> then) {
    std::erase_if(farewells_, [](const auto& one) { return one.expired(); });
    auto kept = std::make_shared<std::function<void()>>(std::move(then));
    farewells_.push_back(kept);
    return kept;
}

void Node::Core::tell(const Suspicion& suspicion) {
    std::erase_if(suspicious_, [](const auto& one) { return one.expired(); });
    for (const auto& weak : suspicious_) {
        if (const auto ear = weak.lock()) (*ear)(suspicion);
    }
}

void Node::Core::take_part(node::HostedGroup& group, const JoinOptions& how) {
    if (how.priority) group.set_attribute(*how.priority);
    if (!how.plan && !how.on_definition && !how.on_stop) return;
    parts_[group.name()] = how;
    if (group.definition()) heed(group, Defined{*group.definition()});
}

// The machine is in the middle of its step: whatever the application says to it comes later.
void Node::Core::heed(node::HostedGroup& group, const node::Told& notice) {
    const auto part = parts_.find(group.name());
    if (part == parts_.end()) return;
    const JoinOptions& how = part->second;
    if (const auto* wanted = std::get_if<PlanWanted>(&notice)) make_plan(group, *wanted, how);
    if (const auto* defined = std::get_if<Defined>(&notice); defined && how.on_definition) {
        dispatcher_.run(
            [tell = how.on_definition, plan = defined->definition.plan] { tell(plan); });
    }
    if (std::holds_alternative<StopProcessing>(notice) && how.on_stop) dispatcher_.run(how.on_stop);
}

// A plan that comes too late is for an older run: the machine knows.
void Node::Core::make_plan(node::HostedGroup& group, const PlanWanted& wanted,
                           const JoinOptions& how) {
    if (!how.plan) return;
    std::vector<std::string> members;
    for (const NodeId one : wanted.members) members.push_back(node().name_of(one));
    dispatcher_.run([weak = weak_from_this(), &group, plan = how.plan, members = std::move(members),
                     round = wanted.run.round] {
        std::string bytes = plan(members);
        const auto core = weak.lock();
        if (!core) return;
        core->post([&group, planned = Planned{round, std::move(bytes)}] {
            static_cast<void>(group.ask(planned));
        });
    });
}

Lock Node::Core::lock(std::string name, LockTerms terms) {
    const std::lock_guard guard(client_mutex_);
    for (const net::Address& address : config_.api.listen) {
        if (client_ || leaving_) break;
        if (!std::holds_alternative<net::UnixPath>(address)) continue;
        client_.emplace(ClientOptions{.endpoints = {net::to_text(address)}});
    }
    if (client_) return client_->lock(std::move(name), terms);
    if (leaving_) throw std::runtime_error("lock '" + name + "': the node has ended");
    throw std::invalid_argument("lock '" + name +
                                "': locks are asked for at a unix socket, and "
                                "[api] listen has none");
}

// --- Watch. -------------------------------------------------------------------------------------

void Watch::Ear::call(std::function<void()> what) {
    core_->dispatcher().run([self = shared_from_this(), what = std::move(what)] {
        const std::lock_guard guard(self->calling_);
        if (!self->closed_) what();
    });
}

void Watch::Ear::close() {
    closed_ = true;
    kept_.reset();
    if (core_->dispatcher().on_its_thread()) return;
    if (calling_.try_lock_for(std::chrono::seconds(1))) calling_.unlock();
}

Watch::Watch(std::shared_ptr<Ear> ear) : ear_(std::move(ear)) {}
Watch::Watch(Watch&&) noexcept = default;
Watch& Watch::operator=(Watch&& other) noexcept {
    if (this == &other) return *this;
    if (ear_) ear_->close();
    ear_ = std::move(other.ear_);
    return *this;
}
Watch::~Watch() {
    if (ear_) ear_->close();
}

}  // namespace conclave
