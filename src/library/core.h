// library/core.h -- a node inside an application: its loop, on a thread of its own, and the
// dispatcher for whatever the application gave it.
//
// Nothing of the application ever runs on the loop's thread, so whoever is on another one may wait
// for it.
#pragma once
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "conclave/conclave.hpp"
#include "library/dispatcher.h"
#include "net/log.h"
#include "node/running_node.h"

namespace conclave {

class Node::Core : public std::enable_shared_from_this<Core> {
public:
    explicit Core(Options options);
    ~Core() { stop(); }

    void start();  // throws
    void stop();   // within `leave_within`; from any thread but the loop's
    void kill();   // without a word to anybody

    const node::Config& config() const { return config_; }
    const Options& options() const { return options_; }
    Dispatcher& dispatcher() { return dispatcher_; }
    boost::asio::io_context& loop() { return loop_; }
    node::Node& node() { return running_->node(); }  // on the loop's thread

    // The loop does it, and nobody waits; false: it never will, the node has ended.
    bool post(std::function<void()> task);
    // The loop answers, and the caller waits; nothing if the node has ended.
    template <class F> auto ask(F question) -> std::optional<std::invoke_result_t<F, node::Node&>>;

    // What is told, on the loop's thread, when the node ends; as long as the handle lives.
    using Farewell = std::shared_ptr<std::function<void()>>;
    [[nodiscard]] Farewell when_ending(std::function<void()> then);

    // Whoever is told of suspicions, as long as the handle lives; on the loop's thread.
    using SuspicionEar = std::function<void(const Suspicion&)>;
    void add_ear(const std::shared_ptr<SuspicionEar>& ear) { suspicious_.push_back(ear); }

    // The application has a say in how this group reorganises; on the loop's thread.
    void take_part(node::HostedGroup& group, const JoinOptions& how);

    Lock lock(std::string name, LockTerms terms);
    std::optional<std::string> failure();

private:
    void take_config();
    void run();
    void ended();
    void bid_farewell();
    void end_with(std::function<void()> how);
    void tell(const Suspicion& suspicion);
    void heed(node::HostedGroup& group, const node::Told& notice);
    void make_plan(node::HostedGroup& group, const PlanWanted& wanted, const JoinOptions& how);

    const Options options_;
    node::Config config_;
    Dispatcher dispatcher_;
    std::unique_ptr<LogSink> log_;
    boost::asio::io_context loop_{1};
    std::optional<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> work_{
        boost::asio::make_work_guard(loop_)};
    std::unique_ptr<node::RunningNode> running_;
    std::vector<std::weak_ptr<std::function<void()>>> farewells_;
    std::vector<std::weak_ptr<SuspicionEar>> suspicious_;
    std::map<std::string, JoinOptions> parts_;  // by group
    std::mutex client_mutex_;
    bool leaving_ = false;          // and nobody gets a client any more
    std::optional<Client> client_;  // of the lock service, once it is asked for
    std::mutex mutex_;
    bool closed_ = false;  // the loop takes nothing more
    std::optional<std::string> failure_;
    std::thread thread_;
};

template <class F>
auto Node::Core::ask(F question) -> std::optional<std::invoke_result_t<F, node::Node&>> {
    using Answer = std::optional<std::invoke_result_t<F, node::Node&>>;
    const auto promise = std::make_shared<std::promise<Answer>>();
    const bool posted = post([this, promise, question = std::move(question)] {
        node().look();
        promise->set_value(Answer(question(node())));
    });
    return posted ? promise->get_future().get() : Answer();
}

// A callback, and what keeps it in touch: a listener's handle, say.
class Watch::Ear : public std::enable_shared_from_this<Ear> {
public:
    explicit Ear(std::shared_ptr<Node::Core> core) : core_(std::move(core)) {}

    void call(std::function<void()> what);  // from any thread; on the dispatcher, unless closed
    void keep(std::shared_ptr<void> handle) { kept_ = std::move(handle); }
    void close();

private:
    const std::shared_ptr<Node::Core> core_;
    std::shared_ptr<void> kept_;
    std::timed_mutex calling_;
    std::atomic<bool> closed_ = false;
};

}  // namespace conclave
