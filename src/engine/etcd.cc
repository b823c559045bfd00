#include "engine/etcd.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "engine/etcd_contest.h"
#include "engine/etcd_gateway.h"
#include "engine/etcd_queue.h"
#include "engine/etcd_stream.h"
#include "engine/etcd_words.h"
#include "net/json_members.h"

namespace conclave::engine {

namespace {

using namespace etcd;
using namespace std::chrono_literals;
namespace json = boost::json;

net::Failure why_not(const Outcome& outcome) {
    if (const auto* failure = std::get_if<net::Failure>(&outcome)) return *failure;
    if (const auto* complaint = std::get_if<Complaint>(&outcome))
        return {net::Trouble::bad_answer, "etcd: " + complaint->what, true};
    return {net::Trouble::bad_answer,
            std::get<Answer>(outcome).server + ": that is no list of keys", true};
}

std::optional<Queue> queue_in(const Outcome& outcome, const Keys* below) {
    const auto* answer = std::get_if<Answer>(&outcome);
    return answer ? read_queue(answer->body, below) : std::nullopt;
}

// Every name below a root that has keys as the recipes write them; then one after the other.
class Listing : public std::enable_shared_from_this<Listing> {
public:
    using Told = Engine::Told<std::vector<Standing>>;
    Listing(std::shared_ptr<Gateway> gateway, std::string root, Thing::Kind kind, Duration limit,
            Told told)
        : gateway_(std::move(gateway)),
          root_(std::move(root)),
          kind_(kind),
          limit_(limit),
          told_(std::move(told)) {}

    void start() {
        // Everything there is, without a root; only the names, for the values may be large.
        json::object all = root_.empty() ? json::object{{"key", base64(std::string(1, '\0'))},
                                                        {"range_end", base64(std::string(1, '\0'))}}
                                         : range_of(Keys::of({}, root_));
        all["keys_only"] = true;
        gateway_->ask(range_path, all, limit_, [self = shared_from_this()](const Outcome& outcome) {
            const auto keys = queue_in(outcome, nullptr);
            if (!keys) return self->told_(why_not(outcome));
            for (const Entry& entry : *keys) {
                if (auto name = name_of(self->root_, entry)) self->names_.insert(*std::move(name));
            }
            self->next();
        });
    }

private:
    void next() {
        if (names_.empty()) return told_(std::move(found_));
        const std::string name = names_.extract(names_.begin()).value();
        const Keys keys = Keys::of(root_, name);
        gateway_->ask(range_path, range_of(keys), limit_,
                      [self = shared_from_this(), name, keys](const Outcome& outcome) {
                          const auto queue = queue_in(outcome, &keys);
                          if (!queue) return self->told_(why_not(outcome));
                          if (!queue->empty() && kind_of(*queue) == self->kind_)
                              self->found_.push_back(standing_of({self->kind_, name}, *queue));
                          self->next();
                      });
    }

    const std::shared_ptr<Gateway> gateway_;
    const std::string root_;
    const Thing::Kind kind_;
    const Duration limit_;
    const Told told_;
    std::set<std::string> names_;  // not looked at yet
    std::vector<Standing> found_;
};

// Reads, and listens from the revision behind what it has read; whatever happens, it reads again.
// A server that hangs is silent, and so is one where nothing happens: so it also reads now and
// then.
class Lookout : public std::enable_shared_from_this<Lookout> {
public:
    using Seen = std::function<void(const Found<Standing>&)>;
    Lookout(std::shared_ptr<Gateway> gateway, Thing thing, Keys keys, Seen seen)
        : gateway_(std::move(gateway)),
          thing_(std::move(thing)),
          keys_(std::move(keys)),
          seen_(std::move(seen)),
          timer_(gateway_->loop()) {}

    void look() {
        gateway_->ask(range_path, range_of(keys_), gateway_->timeout(),
                      [self = shared_from_this()](const Outcome& outcome) {
                          if (self->seen_) self->looked(outcome);
                      });
    }
    void stop() {
        seen_ = {};
        timer_.cancel();
        if (stream_) stream_->stop();
    }

private:
    void looked(const Outcome& outcome) {
        const auto queue = queue_in(outcome, &keys_);
        const auto header =
            queue ? header_of(std::get<Answer>(outcome).body) : std::optional<Header>();
        if (!header) {
            queue_tokens_.reset();  // whoever hears of the failure wants to hear of its end
            seen_(Found<Standing>(why_not(outcome)));
            return look_after(500ms);
        }
        if (stream_) stream_->stop();
        stream_ = gateway_->listen(watch_path, changes_of(range_of(keys_), header->revision + 1),
                                   {[weak = weak_from_this()](const json::value& message) {
                                        const auto self = weak.lock();
                                        const bool news = member(message, "events") ||
                                                          member(message, "canceled");
                                        if (self && self->seen_ && news)
                                            self->look_after(Duration::zero());
                                    },
                                    [weak = weak_from_this()](const net::Failure&) {
                                        if (const auto self = weak.lock(); self && self->seen_)
                                            self->look_after(100ms);
                                    }});
        const bool news = queue_tokens_ != tokens(*queue);
        queue_tokens_ = tokens(*queue);
        look_after(5s);
        if (news) seen_(Found<Standing>(standing_of(thing_, *queue)));
    }
    // Who is in it, in their order; nothing else changes.
    static std::optional<std::vector<std::uint64_t>> tokens(const Queue& queue) {
        std::vector<std::uint64_t> all;
        for (const Entry& entry : queue) all.push_back(entry.created);
        return all;
    }
    void look_after(Duration wait) {
        if (!seen_) return;
        timer_.expires_after(wait);
        timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
            const auto self = weak.lock();
            if (!error && self && self->seen_) self->look();
        });
    }

    const std::shared_ptr<Gateway> gateway_;
    const Thing thing_;
    const Keys keys_;
    Seen seen_;  // empty: nobody looks any more
    boost::asio::steady_timer timer_;
    std::shared_ptr<Gateway::Stream> stream_;
    std::optional<std::vector<std::uint64_t>> queue_tokens_;  // as last told
};

class EtcdWatch final : public Watch {
public:
    explicit EtcdWatch(std::shared_ptr<Lookout> lookout) : lookout_(std::move(lookout)) {}
    ~EtcdWatch() override { lookout_->stop(); }

private:
    const std::shared_ptr<Lookout> lookout_;
};

class Etcd final : public Engine {
public:
    Etcd(std::shared_ptr<Gateway> gateway, std::string root)
        : gateway_(std::move(gateway)), root_(std::move(root)) {}

    std::unique_ptr<Contest> contend(Claim claim, Events& events) override {
        return etcd::contend(gateway_, Keys::of(root_, claim.thing.name), claim, events);
    }
    void look(const Thing& thing, Duration limit, Told<Standing> told) override {
        const Keys keys = Keys::of(root_, thing.name);
        gateway_->ask(range_path, range_of(keys), limit,
                      [thing, keys, told = std::move(told)](const Outcome& outcome) {
                          const auto queue = queue_in(outcome, &keys);
                          if (!queue) return told(why_not(outcome));
                          told(standing_of(thing, *queue));
                      });
    }
    void list(Thing::Kind kind, Duration limit, Told<std::vector<Standing>> told) override {
        std::make_shared<Listing>(gateway_, root_, kind, limit, std::move(told))->start();
    }
    std::unique_ptr<Watch> watch(const Thing& thing,
                                 std::function<void(const Found<Standing>&)> seen) override {
        auto lookout = std::make_shared<Lookout>(gateway_, thing, Keys::of(root_, thing.name),
                                                 std::move(seen));
        lookout->look();
        return std::make_unique<EtcdWatch>(std::move(lookout));
    }

private:
    const std::shared_ptr<Gateway> gateway_;
    const std::string root_;
};

}  // namespace

Result<std::unique_ptr<Engine>> open_etcd(boost::asio::io_context& loop, const Place& place) {
    auto gateway = Gateway::make(loop, place);
    if (!gateway) return gateway.error();
    return std::unique_ptr<Engine>(std::make_unique<Etcd>(std::move(*gateway), place.root));
}

}  // namespace conclave::engine
