#include "conclave/client.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "library/dispatcher.h"
#include "library/keeper.h"
#include "library/lease.h"
#include "library/signals.h"

namespace conclave {

namespace {

namespace asio = boost::asio;

locks::Terms terms_of(const LockTerms& wanted) {
    using Mode = locks::Terms::Mode;
    const bool told = wanted.told || wanted.sticky;
    if (wanted.slots > 0) return {Mode::slot, wanted.slots, told};
    return {wanted.shared ? Mode::shared : Mode::exclusive, 1, told};
}

}  // namespace

struct Held::Lease : TimedLease {
    std::string name;
    FencingToken token;
    std::weak_ptr<Core> core;
    std::stop_source wanted;  // somebody else waits for it
    locks::Terms terms;
    bool sticky = false;
    std::atomic<bool> parked = false;  // let go of, and still ours
    std::atomic<bool> asked = false;   // somebody waits, here or elsewhere: never parked again

    // Who gets it out is the only one to have it.
    bool unpark() { return parked.exchange(false); }
};

// One thread's wait for one lock.
struct Waiting {
    std::string name;
    locks::Terms terms;
    bool sticky = false;
    bool impatient = false;  // does not queue
    std::mutex mutex;
    std::condition_variable_any changed;
    bool over = false;
    std::shared_ptr<Held::Lease> lease;
};

class Held::Core : public std::enable_shared_from_this<Core>, private Keeper::Events {
public:
    explicit Core(ClientOptions options) : options_(std::move(options)) {}
    ~Core() override { stop(); }

    void start() {
        auto alarm = net::Alarm::make(loop_);
        if (!alarm) throw std::invalid_argument(alarm.error().what);
        alarm_.emplace(std::move(*alarm));
        const SignalsKeptOff quiet;  // a keeper may have threads of its own
        auto keeper = open_keeper(loop_, options_, *this);
        if (!keeper) throw std::invalid_argument(keeper.error().what);
        keeper_ = std::move(*keeper);
        thread_ = std::thread([this] { loop_.run(); });
    }

    void stop() {
        if (!thread_.joinable()) return;
        stopped_ = true;
        asio::post(loop_, [this] {
            while (!leases_.empty()) give_up(leases_.begin()->second);
            for (auto& [name, queue] : queues_) {
                for (const auto& one : queue) conclude(*one, nullptr);
            }
            keeper_.reset();
            alarm_.reset();
            work_.reset();
        });
        thread_.join();
        loop_.restart();
        loop_.poll();  // whoever came in the last moment
    }

    std::shared_ptr<Lease> acquire(const std::shared_ptr<Waiting>& wait,
                                   std::optional<std::chrono::nanoseconds> limit,
                                   const std::stop_token& stop) {
        asio::post(loop_, [this, wait] { enqueue(wait); });
        if (stopped_) return nullptr;
        std::unique_lock guard(wait->mutex);
        const auto over = [&] { return wait->over; };
        const bool concluded = limit ? wait->changed.wait_for(guard, stop, *limit, over)
                                     : wait->changed.wait(guard, stop, over);
        if (!concluded) {
            asio::post(loop_, [this, wait] { cancel(wait); });
            wait->changed.wait(guard, over);  // it may have been granted meanwhile
        }
        return wait->lease;
    }

    // What is parked, on the thread of who wants it and without a word to anybody.
    std::shared_ptr<Lease> take_up(const std::string& name, const locks::Terms& terms) {
        const std::lock_guard guard(sticky_mutex_);
        const auto known = sticky_.find(name);
        if (known == sticky_.end() || known->second->terms != terms) return nullptr;
        if (clock() >= known->second->until || !known->second->unpark()) return nullptr;
        return known->second;
    }

    // A sticky one stays, until somebody asks for it. Whoever asks after it was parked finds it so;
    // whoever asked before is seen here.
    void release(const std::shared_ptr<Lease>& lease) {
        if (lease->sticky && !lease->asked) {
            lease->parked = true;
            if (!lease->asked || !lease->unpark()) return;
        }
        lease->until = 0;
        asio::post(loop_, [this, lease] { give_up(lease); });
    }

private:
    using Queue = std::deque<std::shared_ptr<Waiting>>;  // the first is what the cluster knows of

    // The client's side, on the loop's thread. ---------------------------------------------------

    void enqueue(const std::shared_ptr<Waiting>& wait) {
        if (!keeper_) return conclude(*wait, nullptr);
        if (const auto held = leases_.find(wait->name); held != leases_.end())
            want_back(std::shared_ptr(held->second));
        Queue& queue = queues_[wait->name];
        const bool free = queue.empty() && !leases_.contains(wait->name);
        if (!free && wait->impatient) return conclude(*wait, nullptr);
        queue.push_back(wait);
        if (free) ask_for(wait->name);
    }
    void want_back(const std::shared_ptr<Lease>& lease) {
        lease->asked = true;
        if (lease->unpark()) give_up(lease);
    }
    void ask_for(const std::string& name) {
        const auto queue = queues_.find(name);
        if (queue == queues_.end()) return;
        if (queue->second.empty()) {
            queues_.erase(queue);
        } else {
            keeper_->acquire(name, queue->second.front()->terms);
        }
    }
    void cancel(const std::shared_ptr<Waiting>& wait) {
        const auto queue = queues_.find(wait->name);
        if (wait->over || queue == queues_.end()) return;
        const bool asked = queue->second.front() == wait && !leases_.contains(wait->name);
        std::erase(queue->second, wait);
        conclude(*wait, nullptr);
        if (!asked) return;
        keeper_->release(wait->name);
        ask_for(wait->name);
    }
    void give_up(std::shared_ptr<Lease> lease) {  // by value: it is erased from where it may come
        const auto known = leases_.find(lease->name);
        if (known == leases_.end() || known->second != lease) return;
        leases_.erase(known);
        end(*lease);
        if (!keeper_) return;
        keeper_->release(lease->name);
        ask_for(lease->name);
    }
    static void conclude(Waiting& wait, std::shared_ptr<Lease> lease) {
        const std::lock_guard guard(wait.mutex);
        wait.over = true;
        wait.lease = std::move(lease);
        wait.changed.notify_all();
    }
    void end(Lease& lease) {
        lease.until = 0;
        if (lease.sticky) {
            const std::lock_guard guard(sticky_mutex_);
            sticky_.erase(lease.name);
        }
        if (!lease.stop.stop_requested())
            dispatcher_.run([stop = lease.stop]() mutable { stop.request_stop(); });
    }

    void granted(const std::string& name, const locks::Token& token) override {
        Queue& queue = queues_[name];
        if (queue.empty()) return keeper_->release(name);
        auto lease = std::make_shared<Lease>();
        lease->name = name;
        lease->token = {token.epoch.value, token.number};
        lease->core = weak_from_this();
        const auto first = queue.front();
        queue.pop_front();
        lease->terms = first->terms;
        lease->sticky = first->sticky && keeper_->tells_who_waits();
        lease->asked = !queue.empty();
        leases_[name] = lease;
        if (const auto until = keeper_->until(name)) lease->begin(*until - options_.stop_margin);
        renewed();
        if (lease->sticky) {
            const std::lock_guard guard(sticky_mutex_);
            sticky_[name] = lease;
        }
        conclude(*first, lease);
    }
    void busy(const std::string& name) override {
        const auto queue = queues_.find(name);
        if (queue == queues_.end() || queue->second.empty()) return;
        const auto first = queue->second.front();
        if (first->impatient) cancel(first);
    }
    void asked_back(const std::string& name) override {
        const auto known = leases_.find(name);
        if (known == leases_.end()) return;
        const auto lease = known->second;
        dispatcher_.run([wanted = lease->wanted]() mutable { wanted.request_stop(); });
        want_back(lease);
    }
    void lost(const std::string& name) override {
        const auto known = leases_.find(name);
        if (known == leases_.end()) return;
        end(*std::exchange(known->second, nullptr));
        leases_.erase(known);
        ask_for(name);
    }
    void turned_down(const std::string& name, const std::string& why) override {
        const auto queue = queues_.find(name);
        if (queue == queues_.end()) return;
        for (const auto& one : std::exchange(queue->second, {})) conclude(*one, nullptr);
        queues_.erase(queue);
        log(name + ": " + why);
    }
    void renewed() override {
        Instant first = Instant::max();  // that is over, unless it is renewed in time
        for (auto& [name, lease] : leases_) {
            if (const auto until = keeper_->until(name))
                lease->extend(*until - options_.stop_margin);
            first = std::min(first, lease->end());
        }
        if (first != Instant::max()) alarm_->at(first, [this] { run_out(); });
    }
    // Those who work under it need the margin to stop. It is over for good, even if an answer still
    // came in time.
    void run_out() {
        std::vector<std::shared_ptr<Lease>> over;
        for (auto& [name, lease] : leases_) {
            if (!lease->held()) over.push_back(lease);
        }
        for (const auto& lease : over) give_up(lease);
        renewed();  // the others have ends of their own
    }
    void failed(const std::string& why) override { log(why); }
    void log(std::string what) {
        if (options_.log)
            dispatcher_.run([log = options_.log, what = std::move(what)] { log(what); });
    }

    const ClientOptions options_;
    Dispatcher dispatcher_;
    asio::io_context loop_{1};
    std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work_{
        asio::make_work_guard(loop_)};
    std::optional<net::Alarm> alarm_;
    std::unique_ptr<Keeper> keeper_;
    std::map<std::string, Queue> queues_;
    std::map<std::string, std::shared_ptr<Lease>> leases_;
    std::mutex sticky_mutex_;
    std::map<std::string, std::shared_ptr<Lease>> sticky_;  // of `leases_`, for all threads
    std::atomic<bool> stopped_ = false;
    std::thread thread_;
};

// --- Held. --------------------------------------------------------------------------------------

Held::Held(std::shared_ptr<Lease> lease) : lease_(std::move(lease)) {}
Held::Held(Held&&) noexcept = default;
Held& Held::operator=(Held&& other) noexcept {
    if (this == &other) return *this;
    unlock();
    lease_ = std::move(other.lease_);
    return *this;
}
Held::~Held() { unlock(); }

bool Held::held() const noexcept { return lease_ && lease_->held(); }
std::chrono::nanoseconds Held::remaining() const noexcept {
    return lease_ ? lease_->remaining() : std::chrono::nanoseconds(0);
}
FencingToken Held::token() const noexcept { return lease_ ? lease_->token : FencingToken{}; }
std::stop_token Held::lost() const noexcept {
    return lease_ ? lease_->stop.get_token() : std::stop_token();
}
std::stop_token Held::wanted() const noexcept {
    return lease_ ? lease_->wanted.get_token() : std::stop_token();
}
void Held::unlock() noexcept {
    const auto lease = std::exchange(lease_, nullptr);
    const auto core = lease ? lease->core.lock() : nullptr;
    if (core) core->release(lease);
}

// --- Lock. --------------------------------------------------------------------------------------

Lock::Lock(std::shared_ptr<Held::Core> core, std::string name, LockTerms terms)
    : core_(std::move(core)), name_(std::move(name)), terms_(terms) {}

std::optional<Held> Lock::take(bool impatient, std::optional<std::chrono::nanoseconds> limit,
                               const std::stop_token& stop) {
    const locks::Terms terms = terms_of(terms_);
    if (terms_.sticky) {
        if (auto lease = core_->take_up(name_, terms)) return Held(std::move(lease));
    }
    auto wait = std::make_shared<Waiting>();
    wait->name = name_;
    wait->terms = terms;
    wait->sticky = terms_.sticky;
    wait->impatient = impatient;
    auto lease = core_->acquire(wait, limit, stop);
    return lease ? std::optional(Held(std::move(lease))) : std::nullopt;
}
std::optional<Held> Lock::try_lock() { return take(true, std::chrono::seconds(5), {}); }
std::optional<Held> Lock::lock_for(std::chrono::nanoseconds wait) { return take(false, wait, {}); }
std::optional<Held> Lock::lock(std::stop_token stop) { return take(false, std::nullopt, stop); }

// --- Client. ------------------------------------------------------------------------------------

Client::Client(ClientOptions options) : core_(std::make_shared<Held::Core>(std::move(options))) {
    core_->start();
}
Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&& other) noexcept {
    if (this == &other) return *this;
    if (core_) core_->stop();
    core_ = std::move(other.core_);
    return *this;
}
Client::~Client() {
    if (core_) core_->stop();
}

Lock Client::lock(std::string name, LockTerms terms) { return Lock(core_, std::move(name), terms); }

std::optional<std::vector<Held>> Client::lock_all(std::vector<std::string> names,
                                                  std::chrono::nanoseconds wait) {
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());  // or it waits for itself
    const auto begun = std::chrono::steady_clock::now();
    std::vector<Held> all;
    for (const std::string& name : names) {
        auto held = lock(name).lock_for(wait - (std::chrono::steady_clock::now() - begun));
        if (!held) return std::nullopt;
        all.push_back(std::move(*held));
    }
    if (!std::ranges::all_of(all, &Held::held)) return std::nullopt;
    return all;
}

}  // namespace conclave
