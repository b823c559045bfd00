// engine/engine.h -- who keeps the record of who leads and who holds: our own nodes, etcd,
// ZooKeeper.
//
// Whatever the engine, one thing is the same: what was granted is held until an instant of this
// machine's suspend-aware clock, which counts from when the last renewal was *sent*. So it is over
// here before the engine can give it to another, also if the engine, the network or this process
// hangs; and once it is over it is not held again.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/types.h"
#include "net/http_dialogue.h"
#include "service/lock_words.h"

namespace conclave::engine {

// Of one kind and name there is one thing to hold.
struct Thing {
    enum class Kind : std::uint8_t { leadership, lock, mutex };  // a mutex: of our own nodes only
    Kind kind = Kind::lock;
    std::string name;
    friend bool operator==(const Thing&, const Thing&) = default;
};

struct Claim {
    Thing thing{};
    locks::Terms terms{};  // of a lock
    std::string holder{};  // who we are, for others to read
    Duration session{};    // how long it outlives us; zero, or too long: as long as it may
    // Of a leadership at our own nodes: the larger leads first. None: as its node is configured.
    std::optional<Attribute> priority{};
};

// Called from the loop, never from inside a call of Contest.
class Events {
public:
    virtual ~Events() = default;
    virtual void reached(const std::string& server) = 0;  // somebody of the engine has answered
    virtual void busy() = 0;                              // others are first; goes on waiting
    virtual void granted(const locks::Token& token) = 0;
    virtual void renewed() = 0;  // `until` has changed
    virtual void lost() = 0;     // what was granted is over; the contest is, too
    virtual void left() = 0;     // after `leave`: the engine knows, or could not be told
    // Nobody could be reached, or we were refused. It goes on unless `final`.
    virtual void failed(const net::Failure& failure, bool final) = 0;
};

// One wish for one thing: first it waits, then it holds, then it is over. Destroyed, it is given up
// without waiting for anybody.
class Contest {
public:
    virtual ~Contest() = default;
    virtual std::optional<Instant> until() const = 0;  // nothing: not held
    virtual Duration session() const = 0;              // as it was given, once `reached`
    virtual void leave() = 0;                          // give it up, held or not
};

// Who has a thing and who waits for it, in order.
struct Holder {
    std::string name;
    locks::Token token{};
};
struct Standing {
    Thing thing{};
    std::vector<Holder> holders;
    std::vector<std::string> waiting;
};

class Watch {  // until it is destroyed
public:
    virtual ~Watch() = default;
};

template <class T> using Found = std::variant<T, net::Failure>;

class Engine {
public:
    virtual ~Engine() = default;

    // `events` must outlive the contest.
    [[nodiscard]] virtual std::unique_ptr<Contest> contend(Claim claim, Events& events) = 0;

    template <class T> using Told = std::function<void(Found<T>)>;  // once, from the loop
    virtual void look(const Thing& thing, Duration limit, Told<Standing> told) = 0;
    virtual void list(Thing::Kind kind, Duration limit, Told<std::vector<Standing>> told) = 0;

    // What it is now, and then each change; a failure, and it goes on as soon as it can.
    [[nodiscard]] virtual std::unique_ptr<Watch> watch(
        const Thing& thing, std::function<void(const Found<Standing>&)> seen) = 0;
};

}  // namespace conclave::engine
