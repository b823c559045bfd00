// node/sessions.h -- the clients of this node: how long each lives, and for which of them it leads.
//
// A node holds the lease of a group; it lends that to one of the sessions that campaign there, to
// the best of them, and of those to the one that asked first.
//
// Ensures  a lease is lent once: whoever comes next gets a later epoch. Before the node gives up a
//          lease that it could keep, the borrower has stopped, or the time that it was told is
//          over. A session that is over is dead for good, however late anybody looks.
// Breaks   if the election gives a lease up by itself (`preempt`): nothing of such a group is lent.
//
// Nothing here has a clock, a timer or a network of its own: see Lender.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "node/machine.h"

namespace conclave::node {

class Sessions {
public:
    // For whom the node stands in an election: the best who waits, or else who has the lease.
    struct Standing {
        bool wanted = false;                // there is somebody
        std::optional<Attribute> priority;  // its own; none: it is as good as the node
        friend bool operator==(const Standing&, const Standing&) = default;
    };

    // What the sessions need of their node. Groups go by name.
    class Lender {
    public:
        virtual ~Lender() = default;
        virtual Instant now() = 0;
        virtual std::optional<Tenure> tenure(const std::string& group) = 0;  // if it leads
        virtual Attribute attribute(const std::string& group) = 0;           // the node's own
        virtual void stand(const std::string& group, const Standing& standing) = 0;
        virtual void resign(const std::string& group) = 0;
        virtual void wake(Instant due) = 0;  // then `tick`; replaces what was asked before
        virtual void ended(const std::string& session) = 0;  // by itself, or its time was over
    };

    struct Limits {
        Duration ttl = std::chrono::seconds(2);  // caps what clients ask for
        std::size_t sessions = 10'000;
    };
    Sessions(Lender& lender, Limits limits) : lender_(lender), limits_(limits) {}

    struct Opened {
        std::string id;
        Duration ttl{};
    };
    [[nodiscard]] std::optional<Opened> open(std::string name, Duration ttl);  // none: too many

    // How long something may still be relied on, counted from before the question was sent, on a
    // clock that is as wrong as the election allows.
    struct Loan {
        std::string group;
        Epoch epoch{};
        Duration remaining{};
    };
    struct Renewal {
        Duration remaining{};
        std::vector<Loan> leading;
    };
    [[nodiscard]] std::optional<Renewal> renew(const std::string& id);  // none: it is gone
    bool end(const std::string& id);                                    // false: it is gone
    // For what a session has until then, unless it ends before; none: it is gone.
    [[nodiscard]] std::optional<Duration> remaining(const std::string& id, Instant until);

    // Hears once how it ended, perhaps at once. Who asks again keeps its place among equals.
    struct Bid {
        Duration wait{};
        std::optional<Attribute> priority{};  // the larger comes first; none: as the node
    };
    struct Verdict {
        enum class How : std::uint8_t { elected, not_in_time, asked_again, session_gone };
        How how{};
        Loan loan{};  // if it was elected
    };
    using Hearing = std::function<void(const Verdict&)>;
    enum class Ticket : std::uint64_t {};
    Ticket campaign(const std::string& id, const std::string& group, const Bid& bid, Hearing hear);
    void withdraw(Ticket ticket);  // hears nothing more

    enum class Resigned : std::uint8_t { done, not_leading, session_gone };
    Resigned resign(const std::string& id, const std::string& group);

    // For a lease that is given up early: `then` is called once nobody relies on it, and from now
    // on it is not lent.
    void recall(const std::string& group, std::function<void()> then);

    void changed(const std::string& group);  // its lease was won or lost
    void tick();                             // something is due

    std::size_t size() const { return sessions_.size(); }
    std::string name_of(const std::string& id) const;
    // For whom the node leads: a session's name.
    std::optional<std::string> borrower(const std::string& group);

private:
    struct Session {
        std::string name;
        Duration ttl{};
        Instant expiry{};
    };
    struct Campaigner {
        Ticket ticket{};
        std::string session;
        Instant until{};
        std::optional<Attribute> priority;
        Hearing hear;
    };
    struct Lent {
        std::string session;
        std::optional<Attribute> priority;  // with which it asked
        Epoch epoch{};
        Instant from{};      // when the lease began
        Instant promised{};  // the borrower may rely on it until then, at most
    };
    struct Desk {  // of a group
        std::list<Campaigner> queue;
        std::optional<Lent> lent;
        std::vector<std::function<void()>> recalls;
        std::optional<Instant> spent;     // when the lease began that must not be lent any more
        std::optional<Instant> given_up;  //   and that we have asked to end
        Standing standing;                // as the lender was told
    };

    void expire();
    void bury(const std::string& id);
    void review(const std::string& group);
    bool lost(const std::string& group, const Lent& lent) const;
    void dismiss_late(Desk& desk);
    void serve(const std::string& group, Desk& desk);
    std::list<Campaigner>::iterator best(const std::string& group, Desk& desk);
    Standing standing(const std::string& group, Desk& desk);
    void close(const std::string& group, Desk& desk);
    void give_up(const std::string& group, Desk& desk);
    Loan loan(const std::string& group, Lent& lent);
    Session* find(const std::string& id);
    void due(Instant at);

    Lender& lender_;
    const Limits limits_;
    std::map<std::string, Session> sessions_;             // by id
    std::set<std::pair<Instant, std::string>> expiries_;  // of all of them
    std::map<std::string, Desk> desks_;                   // by group
    std::uint64_t tickets_ = 0;
    Instant wake_ = Instant::max();  // as the lender was told; may be too early, never too late
};

}  // namespace conclave::node
