// sim/allocation_test.cc -- a walk takes its memory at the beginning, and nothing per event.
//
// Everything in this program that allocates is counted, so two runs of different lengths tell.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "elect/bully.h"
#include "elect/quorum.h"
#include "elect/ring.h"
#include "sim/plan_text.h"
#include "sim/walk.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONCLAVE_COUNTS_ALLOCATIONS 0  // operator new is the sanitizer's own
#else
#define CONCLAVE_COUNTS_ALLOCATIONS 1
#endif

namespace {

std::uint64_t allocations = 0;

}  // namespace

#if CONCLAVE_COUNTS_ALLOCATIONS
[[gnu::noinline]] void* operator new(std::size_t size) {
    ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace conclave {
namespace {

struct Used {
    std::uint64_t events = 0, allocations = 0;
};

template <class P> Used run(const Plan& plan) {
    Settings settings = plan.settings;
    settings.nodes = plan.members.size();
    const Setup<P> setup{.members = MemberList(plan.members), .config = P::configure(settings)};
    Bench<P> bench{setup};
    const std::uint64_t before = allocations;
    Walk<P> walk(plan, bench);
    const Report report = walk.run(Duration{}, Duration{});
    return {report.events, allocations - before};
}

template <class P> void expect_none_per_event(const Plan& shorter, const Plan& longer) {
    if (!CONCLAVE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "sanitizers have their own operator new";
    const Used some = run<P>(shorter), more = run<P>(longer);
    EXPECT_GT(some.allocations, 0U) << "they are not counted";
    EXPECT_GT(more.events, some.events + 20'000);
    const std::size_t calls = longer.schedule.size() - shorter.schedule.size();
    EXPECT_LE(more.allocations, some.allocations + calls) << "a call is read from its text";
}

// Elections one after the other, in a world so large that properties, which put into words what is
// not yet as it should be, look only at the end.
Plan elections(std::int64_t count, Duration apart) {
    Plan plan = default_plan(watched_closely + 44);
    plan.until = count * apart;
    for (std::int64_t i = 1; i < count; ++i) {
        plan.schedule.push_back({Instant(i * apart), fault::Call{NodeId{1}}});
    }
    return plan;
}

// Somebody leads, and goes on leading; properties look after every event.
Plan five_nodes(Duration until) {
    Plan plan = default_plan(5);
    plan.until = until;
    return plan;
}

TEST(Walk, AllocatesNothingPerEventOfARing) {
    expect_none_per_event<Ring>(elections(40, 1'300 * unit), elections(80, 1'300 * unit));
}
TEST(Walk, AllocatesNothingPerEventOfABully) {
    expect_none_per_event<Bully>(elections(3, 30 * unit), elections(6, 30 * unit));
}
TEST(Walk, AllocatesNothingPerEventOfAQuorum) {
    expect_none_per_event<Quorum>(five_nodes(20'000 * unit), five_nodes(40'000 * unit));
}

}  // namespace
}  // namespace conclave
