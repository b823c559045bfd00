// sim/workload.cc -- draws who asks when.
#include "sim/workload.h"

#include <algorithm>
#include <utility>

namespace conclave {

Customers::Customers(const Workload& workload, const std::vector<Member>& members,
                     std::uint64_t seed)
    : workload_(workload), members_(members), dice_(seed), customers_(members.size()) {
    for (std::uint32_t at = 0; at < members.size(); ++at) {
        const bool asks =
            workload.askers.empty() ||
            std::ranges::find(workload.askers, members[at].node) != workload.askers.end();
        if (!asks) continue;
        askers_.push_back(at);
        customers_[at].asks = true;
        if (workload.contention == 0) customers_[at].left = workload.requests;
    }
    if (workload.contention > 0) left_ = askers_.size() * std::uint64_t{workload.requests};
}

Instant Customers::next_due() const {
    return wishes_.empty() ? Instant::max() : wishes_.front().due;
}

std::optional<Fault> Customers::take() {
    std::pop_heap(wishes_.begin(), wishes_.end());
    const Wish wish = wishes_.back();
    wishes_.pop_back();
    const NodeId node = members_[wish.node].node;
    if (wish.what == Wish::What::whisper) return fault::Whisper{node, members_[wish.to].node};
    if (wish.version != customers_[wish.node].version) return std::nullopt;
    return fault::Ask{node, wish.what == Wish::What::enter ? "Enter" : "Leave"};
}

void Customers::hear(const Ledger::Change& change) {
    Customer& customer = customers_[change.node];
    const bool was_open = customer.pending || customer.section != Section::outside;
    ++customer.version;
    customer.pending = false;
    switch (change.what) {
        case Ledger::What::booted:
            customer.up = true;
            break;
        case Ledger::What::crashed:
            customer.up = false;
            customer.section = Section::outside;
            break;
        case Ledger::What::asked:
            customer.section = Section::waiting;
            return whisper(change.at, change.node);
        case Ledger::What::entered: {
            customer.section = Section::inside;
            const Duration hold = dice_.between(workload_.hold_least, workload_.hold_most);
            return wish({change.at + hold, 0, Wish::What::leave, change.node, customer.version});
        }
        case Ledger::What::left:
            customer.section = Section::outside;
            break;
    }
    if (was_open && open_ > 0) --open_;
    next_request(change.at, change.node);
}

void Customers::next_request(Instant now, std::uint32_t node) {
    if (workload_.contention > 0) return fill(now);
    Customer& customer = customers_[node];
    if (!idle(customer) || customer.left == 0) return;
    --customer.left;
    wish_to_enter(now, node);
}

// As many open requests as may be, each by whomever the dice name among those who have none.
void Customers::fill(Instant now) {
    while (open_ < workload_.contention && left_ > 0) {
        const std::size_t drawn = dice_.below(askers_.size());
        std::size_t tried = 0;
        while (tried < askers_.size() &&
               !idle(customers_[askers_[(drawn + tried) % askers_.size()]])) {
            ++tried;
        }
        if (tried == askers_.size()) return;
        --left_;
        ++open_;
        wish_to_enter(now, askers_[(drawn + tried) % askers_.size()]);
    }
}

bool Customers::idle(const Customer& customer) const {
    return customer.asks && customer.up && !customer.pending &&
           customer.section == Section::outside;
}

void Customers::wish_to_enter(Instant now, std::uint32_t node) {
    customers_[node].pending = true;
    const Duration think = dice_.between(workload_.think_least, workload_.think_most);
    wish({now + think, 0, Wish::What::enter, node, customers_[node].version});
}

void Customers::whisper(Instant now, std::uint32_t node) {
    if (members_.size() < 2 || !dice_.chance(workload_.whispers)) return;
    const auto step = 1 + dice_.below(members_.size() - 1);
    const auto to = static_cast<std::uint32_t>((node + step) % members_.size());
    wish({now, 0, Wish::What::whisper, node, 0, to});
}

void Customers::wish(Wish one) {
    one.order = ++order_;
    wishes_.push_back(one);
    std::push_heap(wishes_.begin(), wishes_.end());
}

bool Customers::done() const {
    if (workload_.contention > 0) {
        const bool somebody =
            std::ranges::any_of(customers_, [](const Customer& one) { return one.asks && one.up; });
        return open_ == 0 && (left_ == 0 || !somebody);
    }
    return std::ranges::none_of(customers_, [](const Customer& one) {
        return one.up && (one.left > 0 || one.pending || one.section != Section::outside);
    });
}

}  // namespace conclave
