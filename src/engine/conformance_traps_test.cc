// engine/conformance_traps_test.cc -- what has burnt the users of other locks, on every engine; the
// table in docs/engines.md says which test is about which of their stories.
#include <signal.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/conformance_test.h"

namespace conclave::engine {
namespace {

using namespace std::chrono_literals;

struct Term {  // of somebody who led
    Instant from{}, until{};
};

// All servers go and come back, and everybody has to reconnect, those who watch included. Whoever
// has lost the lead wants it back at once.
TEST_P(Conformance, NobodyLeadsBesideAnotherWhileAllReconnect) {
    constexpr std::size_t candidates = 3;
    for (std::size_t one = 0; one < candidates; ++one) somebody().want(lead());
    Applicant& witness = somebody();
    std::optional<Standing> seen;
    const auto watch =
        witness.engine().watch({Thing::Kind::leadership, servers->group()}, [&](const auto& found) {
            if (const auto* standing = std::get_if<Standing>(&found)) seen = *standing;
        });
    std::map<locks::Token, Term> terms;
    Applicant* leads = nullptr;
    const auto follow = [&] {
        leads = nullptr;
        for (std::size_t one = 0; one < candidates; ++one) {
            Applicant& who = people[one];
            if (who.token) {
                Term& term = terms[*who.token];
                term.from = who.granted_at;
                term.until =
                    who.is_lost ? std::min(who.ended_at, who.may_act_until) : who.may_act_until;
            }
            if (who.holds()) leads = &who;
            if (who.is_lost) who.want(lead());
        }
        return leads != nullptr;
    };
    ASSERT_TRUE(comes_true(follow)) << servers->logs();
    for (std::size_t at = 0; at < Servers::count; ++at) servers->kill(at);
    const Instant later = net::now() + 500ms;
    ASSERT_TRUE(comes_true([&] {
        follow();
        return net::now() > later;
    }));
    for (std::size_t at = 0; at < Servers::count; ++at) servers->start(at);
    ASSERT_TRUE(comes_true([&] { return follow() && servers->ready(); })) << servers->logs();
    EXPECT_TRUE(comes_true([&] {
        if (!follow() || !seen || seen->holders.empty()) return false;
        return seen->holders.front().token.epoch == leads->token->epoch;
    })) << "who watches has missed something";
    Term before;
    for (const auto& [token, term] : terms) {  // in the order of their tokens
        EXPECT_GE(term.from, before.until);
        before = term;
    }
}

// Whoever is told to end lets the work end first, and the lock is held, and renewed, all the while.
TEST_P(Conformance, WhatTheWorkStandsOnIsLetGoOfAfterTheWork) {
    const auto begun = folder / "begun", done = folder / "done";
    const auto exists = [](const auto& path) { return std::filesystem::exists(path); };
    Server work({CONCLAVE_BINARY, "--endpoint", servers->endpoint(), "lock", "press", "--ttl", "2s",
                 "--", "sh", "-c",
                 "trap 'sleep 3; touch " + done.string() + "; exit 0' TERM; touch " +
                     begun.string() + "; while :; do sleep 0.1; done"},
                folder / "work.log");
    work.start();
    ASSERT_TRUE(comes_true([&] { return exists(begun); })) << work.log();
    Applicant& next = somebody();
    next.want(lock("press"));
    ASSERT_NO_FATAL_FAILURE(expect_busy(next));
    work.signal(SIGTERM);
    bool too_soon = false;
    ASSERT_TRUE(comes_true([&] {
        too_soon = too_soon || (next.token && !exists(done));
        return next.token.has_value();
    })) << work.log();
    EXPECT_FALSE(too_soon) << work.log();
}

}  // namespace
}  // namespace conclave::engine
