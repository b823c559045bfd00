// conclave/conclave.hpp -- a node inside an application: it votes, it is asked who leads and who is
// alive, and the application leads, and holds locks, through it.
//
//     auto node = conclave::Node::start(conclave::Options::load("/etc/conclave/conclave.toml"));
//     auto group = node.join("billing", {.priority = 10});
//     conclave::Mandate mandate = group.campaign(stop);
//     while (mandate.held()) write_report(mandate.epoch());
//
// Threads. Everything may be used from several threads. A node has threads of its own: one for all
// that must be in time, those of its disk and its log, and one, the dispatcher, on which every
// callback of the application runs, one after the other. A callback may take its time and may call
// anything here: it delays other callbacks, and never the node. What it throws is dropped.
//
// Manners. Nothing here ends the process, handles a signal, or throws on a thread that is not the
// caller's. What is thrown is std::invalid_argument for what the caller got wrong and
// std::runtime_error for what the world did, both with one line that says what and where.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/api.h"
#include "conclave/client.hpp"
#include "conclave/fence.hpp"

namespace conclave {

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct Options {
    std::string file{};                   // the TOML of docs/node.md: its path,
    std::string text{};                   //   or the text itself, if there is no file
    std::vector<std::string> settings{};  // "groups.billing.lease=500ms": these win
    // On the dispatcher. None: lines on standard error, as [log] says.
    std::function<void(LogLevel level, std::string_view line)> log{};
    // How long the end of a node may take, to hand over and let promises run out.
    std::chrono::nanoseconds leave_within = std::chrono::seconds(5);

    static Options load(std::string path) { return {.file = std::move(path)}; }
};

struct Leadership {
    std::string group{};
    std::optional<std::string> leader{};  // by name; nothing: nobody leads
    std::uint64_t epoch = 0;
    bool mine = false;    // this node leads
    std::string cause{};  // of a change: what set it off, in a word or two
};

struct Suspicion {
    std::string node;
    bool suspected = false;  // else it is trusted again
    std::string evidence;
};

// A callback, as long as this lives. Its end waits for a call that is under way, for a second at
// most; then it is not called any more. It may end inside of its own call.
class CONCLAVE_API Watch {
public:
    Watch(Watch&&) noexcept;
    Watch& operator=(Watch&&) noexcept;
    ~Watch();

    class CONCLAVE_LOCAL Ear;  // of the implementation

private:
    friend class Group;
    friend class Node;
    explicit Watch(std::shared_ptr<Ear> ear);
    std::shared_ptr<Ear> ear_;
};

// The right to act as the leader. Letting go of it resigns.
class CONCLAVE_API Mandate {
public:
    Mandate(Mandate&&) noexcept;
    Mandate& operator=(Mandate&&) noexcept;
    ~Mandate();

    // A comparison with the clock, and false before anybody else can lead: also when this process
    // was paused, or nobody can be reached. Once false it stays false.
    bool held() const noexcept;
    std::chrono::nanoseconds remaining() const noexcept;  // zero: not held
    std::uint64_t epoch() const noexcept;                 // larger than all before it; 0: none
    FencingToken token() const noexcept { return {epoch(), 0}; }
    // Asked to stop when the time is over, or the node wants to hand over: that waits until this
    // mandate is let go of, but not longer than it was promised.
    std::stop_token lost() const noexcept;
    void resign() noexcept;

    class CONCLAVE_LOCAL Candidate;  // of the implementation
    struct CONCLAVE_LOCAL Lease;

private:
    friend class Group;
    friend class Candidacy;
    Mandate(std::shared_ptr<Candidate> candidate, std::shared_ptr<Lease> lease);
    std::shared_ptr<Candidate> candidate_;
    std::shared_ptr<Lease> lease_;
};

// A campaign that goes on: whenever this node leads, `started` is called, and `stopped` when it
// must not act any more. They come in pairs, once each, on the dispatcher: `started` begins the
// work, `stopped` ends it, and only then may somebody else lead. That waits no longer than
// promised: work that cannot be stopped in time asks `held()`.
struct Duties {
    std::function<void(const Mandate& mandate)> started;  // it lives until `stopped` has returned
    std::function<void()> stopped;
};
class CONCLAVE_API Candidacy {
public:
    Candidacy(Candidacy&&) noexcept;
    Candidacy& operator=(Candidacy&&) noexcept;
    ~Candidacy();  // waits for `stopped`, for a second at most

    class CONCLAVE_LOCAL Office;  // of the implementation

private:
    friend class Group;
    explicit Candidacy(std::shared_ptr<Office> office);
    std::shared_ptr<Office> office_;
};

struct JoinOptions {
    // Instead of the configured one, and of campaigns: the best who waits leads next.
    std::optional<std::int64_t> priority{};
    // How long before a mandate's end `held()` turns false and `lost()` is asked to stop.
    std::chrono::nanoseconds stop_margin = std::chrono::milliseconds(20);
    // For groups that reorganise (garcia-molina, invitation) and say `plan = "application"`. Who
    // coordinates is asked what the members, by name, shall do; all of them are told of it, and
    // before that, whenever the group falls apart, to stop.
    std::function<std::string(const std::vector<std::string>& members)> plan{};
    std::function<void(std::string_view plan)> on_definition{};
    std::function<void()> on_stop{};
};

class CONCLAVE_API Group {
public:
    const std::string& name() const;
    Leadership leadership() const;  // as this node knows it now
    std::optional<std::string> leader() const { return leadership().leader; }
    // First as it is, then whenever it changes; an explicit "nobody" included.
    [[nodiscard]] Watch on_change(std::function<void(const Leadership&)> callback);

    // Blocks until this node leads, for this call alone, or the caller or the node stops: then the
    // mandate is not held. Of equal priority, who asks first is served first. Throws if the group
    // cannot be led for an application: it has no lease, say.
    [[nodiscard]] Mandate campaign(std::stop_token stop = {});
    [[nodiscard]] Mandate campaign_for(std::chrono::nanoseconds wait);
    [[nodiscard]] Candidacy campaign(Duties duties);

    struct CONCLAVE_LOCAL Place;  // of the implementation

private:
    friend class Node;
    explicit Group(std::shared_ptr<Place> place);
    Mandate stand(std::optional<std::chrono::nanoseconds> limit, const std::stop_token& stop);
    std::shared_ptr<Place> place_;
};

class CONCLAVE_API Node {
public:
    static Node start(Options options);  // throws
    Node(Node&&) noexcept;
    Node& operator=(Node&&) noexcept;
    // Hands over and leaves, within Options::leave_within. What is still held is lost.
    ~Node();

    const std::string& name() const;
    // A group of the configuration; throws if there is none of that name.
    Group join(const std::string& group, JoinOptions options = {});
    // Through this node's own unix socket (`[api] listen`); throws if it has none.
    Lock lock(std::string name, LockTerms terms = {});

    // The failure detector's opinion. Throws if there is no such node.
    bool suspects(std::string_view node) const;
    [[nodiscard]] Watch on_suspicion(std::function<void(const Suspicion&)> callback);

    // Stands in no election any more, and hands over what it leads. True: nothing is led here.
    bool drain(std::chrono::nanoseconds wait);
    void undrain();
    // Why it decides nothing any more: its disk has failed.
    std::optional<std::string> failure() const;

    class CONCLAVE_LOCAL Core;  // of the implementation

private:
    friend class TestCluster;  // testing.hpp
    explicit Node(std::shared_ptr<Core> core);
    std::shared_ptr<Core> core_;
};

}  // namespace conclave
