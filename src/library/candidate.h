// library/candidate.h -- one campaign of an application at the node inside of it: a session that is
// renewed, and the lease that it borrows. Everything runs on the loop's thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "library/core.h"
#include "library/lease.h"
#include "net/clock.h"

namespace conclave {

struct Mandate::Lease : TimedLease {
    std::uint64_t epoch = 0;
};

class Mandate::Candidate : public std::enable_shared_from_this<Candidate> {
public:
    struct Plan {
        std::string group;
        Duration margin{};                    // before the end of a loan
        std::optional<Attribute> priority{};  // among those who campaign
        // Once each, the second only after the first. No lease: it never will be, the node ends.
        std::function<void(const std::shared_ptr<Lease>&)> elected;
        std::function<void()> lost;
    };
    Candidate(std::shared_ptr<Node::Core> core, Plan plan)
        : core_(std::move(core)), plan_(std::move(plan)) {}

    Node::Core& core() { return *core_; }
    void start();
    void retire();  // a lease is lost, and lent until `end`, or as long as was promised
    void end();     // nothing is held any more

private:
    void stand();
    void hear(const node::Sessions::Verdict& verdict);
    void tick();
    void renew();
    void take(const node::Sessions::Loan& loan, Instant asked);
    void lose();
    void tell_to_stop();
    void wake(Instant due);

    const std::shared_ptr<Node::Core> core_;
    const Plan plan_;
    Node::Core::Farewell farewell_;
    std::optional<net::Alarm> alarm_;
    std::string session_;  // empty: there is none
    std::shared_ptr<Lease> lease_;
    bool over_ = false;
};

}  // namespace conclave
