#include "engine/zookeeper/observer.h"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/zookeeper/layout.h"
#include "engine/zookeeper/reading.h"
#include "engine/zookeeper/session.h"

namespace conclave::engine::zookeeper {

namespace {

using namespace std::chrono_literals;

constexpr Duration session_length = 4s;      // two ticks of the usual two seconds
constexpr Duration shortest_to_ask = 200ms;  // a connection must still be made within two thirds
constexpr Duration patience = 1s, probing = 5s;

net::Failure failure_of(const Ground& ground, int code) {
    const auto trouble = is_refusal(code)  ? net::Trouble::refused
                         : is_broken(code) ? net::Trouble::unreachable
                                           : net::Trouble::bad_answer;
    return {trouble, ground.servers + ": " + words_of(code), true};
}
net::Failure nobody(const Ground& ground) {
    return {net::Trouble::unreachable, ground.servers + ": no ZooKeeper server answers", false};
}

}  // namespace

// One session that asks something whenever it is connected, until it is closed.
class Observer : public std::enable_shared_from_this<Observer> {
public:
    struct Plan {
        Duration session = session_length;
        Duration patience{};  // then `late` is called
        std::function<void()> connected, late;
        std::function<void()> disconnected = [] {}, changed = [] {};
        std::function<void(const net::Failure&)> failed = [](const auto&) {};
    };
    explicit Observer(std::shared_ptr<const Ground> ground)
        : ground_(std::move(ground)), timer_(ground_->loop), retry_(ground_->loop) {}

    // The plan may hold on to this, for it goes with the end.
    void start(Plan plan) {
        plan_ = std::make_shared<Plan>(std::move(plan));
        open();
        timer_.expires_after(plan_->patience);
        timer_.async_wait([self = shared_from_this(), plan = plan_](const auto& error) {
            if (!error && self->plan_) plan->late();
        });
    }
    void close() {
        timer_.cancel();
        retry_.cancel();
        if (session_) session_->close();
        plan_.reset();
    }
    bool is_closed() const { return !plan_; }

    const Ground& ground() const { return *ground_; }
    const std::shared_ptr<Session>& session() const { return session_; }

private:
    void open() {
        // Both stay while one of the plan's functions runs.
        const auto call = [this](auto function) {
            const auto self = shared_from_this();
            if (const auto plan = plan_) function(*plan);
        };
        session_ = Session::open(
            ground_->loop, ground_->porter,
            {ground_->servers, ground_->credentials, plan_->session},
            {[call] { call([](const Plan& plan) { plan.connected(); }); },
             [call] { call([](const Plan& plan) { plan.disconnected(); }); },
             [this, call](Session::End end) { call([&](const Plan& plan) { ended(end, plan); }); },
             [call](const std::string&) { call([](const Plan& plan) { plan.changed(); }); }});
    }
    void ended(Session::End end, const Plan& plan) {
        if (end == Session::End::expired) return open();
        plan.failed(why(end));
        retry_.expires_after(patience);
        retry_.async_wait([self = shared_from_this()](const auto& error) {
            if (!error && self->plan_) self->open();
        });
    }
    net::Failure why(Session::End end) const {
        if (end == Session::End::refused) {
            return {net::Trouble::refused, ground_->servers + ": the credentials are refused",
                    true};
        }
        return {net::Trouble::unreachable, ground_->servers + ": no address is known by that name",
                false};
    }

    const std::shared_ptr<const Ground> ground_;
    boost::asio::steady_timer timer_, retry_;
    std::shared_ptr<Plan> plan_;
    std::shared_ptr<Session> session_;
};

namespace {

// One question with one answer in the end: `ask` is handed whom to give it to.
template <class T>
Observing once(std::shared_ptr<const Ground> ground, Duration limit, Engine::Told<T> told,
               std::function<void(Observer&, std::function<void(int, T)>)> ask) {
    const auto observer = std::make_shared<Observer>(std::move(ground));
    const auto end = [observer, told](Found<T> found) {
        if (observer->is_closed()) return;
        observer->close();
        told(std::move(found));
    };
    Observer::Plan plan;
    plan.patience = limit;
    plan.late = [observer, end] {
        net::Failure failure = nobody(observer->ground());
        if (observer->session()->is_connected()) failure.trouble = net::Trouble::timeout;
        end(failure);
    };
    plan.failed = end;
    plan.connected = [observer, ask, end] {
        ask(*observer, [observer, end](int code, T found) {
            if (code == 0) return end(std::move(found));
            if (!is_broken(code)) end(failure_of(observer->ground(), code));
        });
    };
    observer->start(std::move(plan));
    return observer;
}

// Reads what stands in a folder of names, one after the other.
struct Listing : std::enable_shared_from_this<Listing> {
    std::shared_ptr<Session> session;
    std::string root;
    std::vector<Thing> things;
    std::vector<Standing> found;
    std::function<void(int, std::vector<Standing>)> done;

    void next() {
        if (things.empty()) return done(0, std::move(found));
        const Thing thing = things.back();
        things.pop_back();
        Reading::start(session, thing, root, false,
                       [self = shared_from_this()](int code, const Standing& standing) {
                           if (code != 0) return self->done(code, {});
                           const bool anybody =
                               !standing.holders.empty() || !standing.waiting.empty();
                           if (anybody) self->found.push_back(standing);
                           self->next();
                       });
    }
};

bool same(const Standing& one, const Standing& other) {
    const auto key = [](const Holder& holder) { return std::tie(holder.name, holder.token); };
    return one.waiting == other.waiting &&
           std::ranges::equal(one.holders, other.holders, {}, key, key);
}

class Watcher final : public Watch {
public:
    Watcher(std::shared_ptr<const Ground> ground, const Thing& thing,
            std::function<void(const Found<Standing>&)> seen)
        : sight_(std::make_shared<Sight>(std::move(ground), thing, std::move(seen))) {
        sight_->start();
    }
    ~Watcher() override { sight_->observer->close(); }

private:
    struct Sight : std::enable_shared_from_this<Sight> {
        Sight(std::shared_ptr<const Ground> ground, const Thing& what,
              std::function<void(const Found<Standing>&)> tell)
            : observer(std::make_shared<Observer>(std::move(ground))),
              thing(what),
              seen(std::move(tell)) {}

        void start() {
            const auto self = shared_from_this();
            Observer::Plan plan;
            plan.patience = patience;
            plan.connected = [self] {
                self->reading = self->again = false;
                self->read();
            };
            plan.late = [self] {
                if (!self->observer->session()->is_connected())
                    self->tell(nobody(self->observer->ground()));
            };
            plan.disconnected = [self] { self->tell(nobody(self->observer->ground())); };
            plan.failed = [self](const net::Failure& failure) { self->tell(failure); };
            plan.changed = [self] { self->read(); };
            observer->start(std::move(plan));
        }
        void read() {
            if (std::exchange(reading, true)) {
                again = true;
                return;
            }
            Reading::start(observer->session(), thing, observer->ground().root, true,
                           [self = shared_from_this()](int code, const Standing& standing) {
                               self->reading = false;
                               self->arrived(code, standing);
                           });
        }
        void arrived(int code, const Standing& standing) {
            if (is_broken(code)) return;
            const auto self = shared_from_this();
            if (code != 0) {
                tell(failure_of(observer->ground(), code));
            } else if (!last || !same(*last, standing)) {
                last = standing;
                seen(standing);
            }
            if (std::exchange(again, false) && !observer->is_closed()) read();
        }
        void tell(const net::Failure& failure) {
            last.reset();
            seen(failure);
        }

        const std::shared_ptr<Observer> observer;
        const Thing thing;
        const std::function<void(const Found<Standing>&)> seen;
        std::optional<Standing> last;
        bool reading = false, again = false;
    };
    const std::shared_ptr<Sight> sight_;
};

}  // namespace

Observing look(std::shared_ptr<const Ground> ground, const Thing& thing, Duration limit,
               Engine::Told<Standing> told) {
    return once<Standing>(std::move(ground), limit, std::move(told),
                          [thing](Observer& observer, std::function<void(int, Standing)> done) {
                              Reading::start(observer.session(), thing, observer.ground().root,
                                             false, std::move(done));
                          });
}

Observing list(std::shared_ptr<const Ground> ground, Thing::Kind kind, Duration limit,
               Engine::Told<std::vector<Standing>> told) {
    using Done = std::function<void(int, std::vector<Standing>)>;
    return once<std::vector<Standing>>(
        std::move(ground), limit, std::move(told), [kind](Observer& observer, const Done& done) {
            const auto listing = std::make_shared<Listing>();
            listing->session = observer.session();
            listing->root = observer.ground().root;
            listing->done = done;
            listing->session->list(
                folder_of(kind, listing->root), false, [listing, kind](const Answer& answer) {
                    if (is_missing(answer.code)) return listing->done(0, {});
                    if (answer.code != 0) return listing->done(answer.code, {});
                    for (const std::string& node : answer.names) {
                        if (auto name = name_in_folder(node))
                            listing->things.push_back({kind, *name});
                    }
                    std::ranges::sort(listing->things, std::greater{}, &Thing::name);
                    listing->next();
                });
        });
}

std::unique_ptr<Watch> watch(std::shared_ptr<const Ground> ground, const Thing& thing,
                             std::function<void(const Found<Standing>&)> seen) {
    return std::make_unique<Watcher>(std::move(ground), thing, std::move(seen));
}

Observing ask_shortest(const std::shared_ptr<Ground>& ground) {
    const auto observer = std::make_shared<Observer>(ground);
    Observer::Plan plan;
    plan.session = shortest_to_ask;
    plan.patience = probing;
    plan.late = [observer] { observer->close(); };
    plan.connected = [observer, ground] {
        ground->shortest_session = observer->session()->length();
        observer->close();
    };
    observer->start(std::move(plan));
    return observer;
}

void close(const Observing& observing) { observing->close(); }

}  // namespace conclave::engine::zookeeper
