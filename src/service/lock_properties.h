// service/lock_properties.h -- K1 to K7: what the lock service promises, over all nodes at once.
#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/print.h"
#include "service/locks.h"

namespace conclave {

namespace locks {

// K2: in the order in which they came into force.
inline std::optional<std::string> tokens_grow(const View<Locks>& view) {
    if (!view.history.went_back) return std::nullopt;
    return "a token was granted that was not larger than all before";
}

// K3: what a lock protects is never written by an earlier holder after a later one. A holder cannot
// know that it is late; who compares tokens can.
inline std::optional<std::string> writes_in_order(const View<Locks>& view) {
    if (!view.history.wrote_late || view.config.fixes.has(fence)) return std::nullopt;
    return "somebody wrote after a later holder had";
}

// The office of the latest leader, unless there was a later one: whoever knew of that may be down,
// while the earlier one stands still and has not heard that its lease is over.
inline const Office* latest_office(const View<Locks>& view) {
    const Office* latest = nullptr;
    Epoch known{};
    for (const auto& [name, token] : view.history.largest) known = std::max(known, token.epoch);
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        known = std::max(known, node.state->client.epoch);
        const auto& office = node.state->office;
        if (office && (!latest || latest->epoch < office->epoch)) latest = &*office;
    }
    return latest && latest->epoch >= known ? latest : nullptr;
}

inline bool lists(const Office& office, const SessionId& session, const Holding& holding) {
    const Lock* lock = office.locks.find(holding.lock);
    return lock && std::any_of(lock->holders.begin(), lock->holders.end(), [&](const auto& one) {
               return one.session == session && one.request == holding.request;
           });
}

// K4: what somebody may use the leader knows of, or it grants nothing yet.
inline std::optional<std::string> leader_knows(const View<Locks>& view) {
    const Office* office = latest_office(view);
    if (!office || !office->serving) return std::nullopt;
    for (const auto& node : view.nodes) {
        const Client& client = node.state->client;
        if (!node.up || !client.alive(node.now)) continue;
        for (const Holding& holding : client.held) {
            if (lists(*office, client.session->id, holding)) continue;
            return to_text(node.node) + " holds what the leader does not know of";
        }
    }
    return std::nullopt;
}

// K2 and K7, as the leader's table has it: what was granted to a later one is not an earlier one's
// again.
inline std::optional<std::string> table_is_up_to_date(const View<Locks>& view) {
    const Office* office = latest_office(view);
    if (!office) return std::nullopt;
    for (const auto& [name, token] : view.history.largest) {
        const Lock* lock = office->locks.find(name);
        if (!lock) continue;
        for (const Holder& holder : lock->holders) {
            if (holder.terms.mode != Terms::Mode::exclusive || token <= holder.token) continue;
            return "the leader keeps a lock for an earlier holder, " +
                   to_text(holder.session.client) + ", after a later one had it";
        }
    }
    return std::nullopt;
}

// K6: who came first is first in the queue, and nobody waits for what is free.
inline std::optional<std::string> queue_in_order(const View<Locks>& view) {
    const auto earlier = [](const Waiter& a, const Waiter& b) { return a.place < b.place; };
    for (const auto& node : view.nodes) {
        if (!node.up || !node.state->office) continue;
        for (const auto& [name, lock] : node.state->office->locks) {
            if (!std::is_sorted(lock.queue.begin(), lock.queue.end(), earlier))
                return "who came later is before who came earlier";
            if (node.state->office->serving && lock.holders.empty() && !lock.queue.empty())
                return "somebody waits for what nobody holds";
        }
    }
    return std::nullopt;
}

// K7: what the leader keeps for somebody who lives, that one has, is about to hear of or about to
// give back.
inline std::optional<std::string> nothing_kept_for_nobody(const View<Locks>& view) {
    const Office* office = latest_office(view);
    if (!office) return std::nullopt;
    const auto has = [](const Client& client, const Holder& holder) {
        if (!client.session || client.session->id != holder.session) return false;
        const auto same = [&](const auto& one) { return one.request == holder.request; };
        return client.unsettled == holder.request || std::ranges::any_of(client.held, same) ||
               std::ranges::any_of(client.wanted, same);
    };
    for (const auto& [name, lock] : office->locks) {
        for (const Holder& holder : lock.holders) {
            const bool held = std::ranges::any_of(view.nodes, [&](const auto& node) {
                return node.up && has(node.state->client, holder);
            });
            if (!held) return "the leader keeps a lock for nobody";
        }
    }
    return std::nullopt;
}

}  // namespace locks

inline std::span<const Property<Locks>> Locks::properties() {
    static constexpr std::array list{
        Property<Locks>{"one-inside", Demand::always, mutex::one_inside<Locks>},  // K1
        Property<Locks>{"tokens-grow", Demand::always, locks::tokens_grow},
        Property<Locks>{"writes-in-order", Demand::always, locks::writes_in_order},
        Property<Locks>{"leader-knows", Demand::always, locks::leader_knows},
        Property<Locks>{"table-up-to-date", Demand::always, locks::table_is_up_to_date},
        Property<Locks>{"queue-in-order", Demand::always, locks::queue_in_order},
        Property<Locks>{"nobody-waits", Demand::settled, mutex::nobody_waits<Locks>},  // K5
        Property<Locks>{"kept-for-nobody", Demand::settled, locks::nothing_kept_for_nobody},
        Property<Locks>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<Locks>},
    };
    return list;
}

}  // namespace conclave
