// mutex/central.h -- mutual exclusion by a central server, which is whoever leads.
//
// Ensures  one at a time, and everybody who asks and lives gets in. A server that fails loses its
//          list, not the section: its successor asks everybody what they hold and want.
// Breaks   with a lost message, somebody waits for ever; with a detector that takes a slow node for
//          dead, two are inside. Requests enter as they arrive, not as they happened (MXT-1; see
//          the option `causal`): scenarios/central_overtaken_by_a_side_message.txt.
//
// Alone, the server is fixed: it may crash and return. In a Stack on an election it is the leader.
// Who was inside when it died together with the server is not told to the next (HolderDied).
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <span>
#include <variant>

#include "core/node_set.h"
#include "mutex/central_words.h"
#include "mutex/mutex.h"

namespace conclave {

enum class Server : std::uint8_t { fixed, elected };

template <Server kind> struct CentralWith {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::mutex,
        "lecture 003",
        "one inside at a time; everybody who asks and lives gets in",
        "a lost message makes somebody wait for ever, a false verdict lets two in",
        "3 per entry",
        "2 to enter, 2 from one to the next",
    };
    static constexpr bool needs_returns = kind == Server::fixed;  // nobody takes its place
    static constexpr auto& fixes = central::fixes;
    using Config = central::Config;
    static Config configure(const Settings& settings) {
        return {{}, 0, false, 2 * settings.round_trip(), settings.round_trip()};
    }
    // The last to return is quiet, is counted, perhaps twice, and then asks like everybody.
    static Duration settles_within(const Config& config, std::size_t) {
        return config.quiet + 4 * config.round_trip;
    }
    template <class F> static void each_option(Config& config, F option) {
        if constexpr (kind == Server::fixed) option("server", config.server);
        if constexpr (kind == Server::elected) option("quiet", config.quiet);
        option("causal", config.causal);
    }

    using Ask = central::Request;
    using Grant = central::Grant;
    using Release = central::Release;
    using Census = central::Census;
    using Here = central::Here;
    using Outdated = central::Outdated;
    using Message = std::variant<Ask, Grant, Release, Census, Here, Outdated>;

    using Quiet = central::Quiet;
    using Timer = std::variant<Quiet>;

    struct Observe {  // a message of the application's own came with this stamp
        central::Past stamp;
    };
    using Request = std::variant<Enter, Leave, Observe>;
    using Notice = std::variant<Entered, HolderDied>;
    using Durable = None;
    using Turn = conclave::Turn<CentralWith>;
    using History = MutexHistory;

    using Past = central::Past;
    using Reign = central::Reign;
    using Ticket = central::Ticket;
    using Wish = central::Wish;

    struct Office {  // what only a server has
        std::optional<Wish> holder;
        Small<Wish, 2> queue;
        NodeSet awaited;  // they have not yet said what they hold
        Past closed;      // requests that are over
        Past arrived;     // requests that need not be waited for; empty unless `causal`
    };
    Section where = Section::outside;
    Round asked{};  // the number of my latest request
    Past past;      // what I knew then to have been requested,
    Past heard;     //   and what I know by now; both empty unless `causal`
    bool quiet = false;
    std::optional<NodeId> named;  // by my election, to lead
    std::optional<Reign> bound;   // I have answered this census, and take no grant of an older one
    std::optional<Office> office;
    std::optional<NodeId> died;  // inside, as far as I know; nobody was told yet
    NodeSet dead;

    Section section(Instant) const { return where; }
    Past stamp() const { return heard; }
    static std::span<const Property<CentralWith>> properties();

    void on(Turn& turn, const Booted<CentralWith>&) {
        if constexpr (kind == Server::fixed) {
            named = fixed_server(turn);
            bound = Reign{Epoch{1}, *named};
            if (*named != turn.seat.self) return;
            const Epoch life{turn.seat.incarnation.value};
            life == bound->epoch ? void(office.emplace()) : take_office(turn, life);
        } else if (turn.fixed(central::quiet_time)) {
            quiet = true;
            turn.arm(Quiet{}, turn.config().quiet);
        }
    }

    // --- A client. ---

    void on(Turn& turn, Enter) {
        if (where != Section::outside) return;
        where = Section::waiting;
        asked = asked.next();
        if (turn.config().causal) {
            heard.add(turn.seat.self, ticket(turn));
            past = heard;
        }
        ask(turn);
    }
    void on(Turn& turn, NodeId from, const Grant& grant) {
        if (turn.fixed(central::promise) && Reign{grant.epoch, from} != bound) return;
        const bool mine = grant.ticket == ticket(turn) || !turn.fixed(central::rid);
        if (mine && where == Section::inside) return;  // said twice
        if (!mine || where == Section::outside) return give_back(turn, from, grant);
        where = Section::inside;
        heard.add(grant.known);
        if (grant.died) turn.tell(HolderDied{*grant.died});
        turn.tell(Entered{});
    }
    void on(Turn& turn, Leave) {
        if (where != Section::inside) return;
        where = Section::outside;
        assert(bound);
        post(turn, bound->server, Release{bound->epoch, ticket(turn), heard});
    }
    void on(Turn& turn, Observe side) {
        if (turn.config().causal) heard.add(side.stamp);
    }
    void on(Turn& turn, Quiet) {
        quiet = false;
        if (where == Section::waiting) ask(turn);
    }

    // --- A server. ---

    void on(Turn& turn, NodeId from, const Ask& request) {
        if (!serving(request.epoch) || dead.contains(from)) return;
        queue_up(turn, {from, request.ticket, request.past});
        serve(turn);
    }
    void on(Turn& turn, NodeId from, const Release& release) {
        if (!serving(release.epoch)) return;
        heard.add(release.known);
        if (turn.fixed(central::rid)) {
            close(from, release.ticket);
        } else if (office->holder && office->holder->client == from) {
            office->holder.reset();
        }
        serve(turn);
    }

    // --- From one server to the next. ---

    void on(Turn& turn, LeaderIs told) {
        named = told.leader;
        if (named == turn.seat.self) {
            if (!serving(told.epoch)) take_office(turn, told.epoch);
            return;
        }
        office.reset();
        if (named && bound > Reign{told.epoch, *named}) outdate(turn, *named);
    }
    void on(Turn& turn, NodeId from, const Census& called) {
        const Reign reign{called.epoch, from};
        if (reign < bound) return outdate(turn, from);
        bound = reign;
        heard.add(called.known);
        if (from != turn.seat.self) office.reset();
        post(turn, from, standing(turn));
    }
    void on(Turn& turn, NodeId from, const Here& here) {
        if (!serving(here.epoch) || dead.contains(from)) return;
        heard.add(here.known);
        const Wish wish{from, here.ticket, here.past};
        if (here.section == Section::inside) take_over(turn, wish);
        if (here.section == Section::waiting) queue_up(turn, wish);
        if (here.section == Section::outside) close(from, here.ticket);
        if (turn.config().causal) office->arrived.add(from, here.ticket);
        office->awaited.erase(from);
        serve(turn);
    }
    void on(Turn& turn, NodeId, Outdated by) {
        if (named != turn.seat.self || (office && by.reign < bound)) return;
        take_office(turn, by.reign.epoch.next());
    }

    void on(Turn& turn, Failed peer) {
        dead.insert(peer.node);
        if (!office) return succeed(turn, peer.node);
        if (!turn.fixed(central::failures)) return;
        office->awaited.erase(peer.node);
        forget(peer.node);
        serve(turn);
    }
    void on(Turn& turn, Trusted peer) {
        if (dead.erase(peer.node) && office) call(turn, {peer.node});
        if (where != Section::waiting || quiet || !bound || bound->server != peer.node) return;
        turn.resend(peer.node, request(turn));  // it was not there to hear it
    }
    // Of its old life nothing is left. But this may be late news, and the new life be inside.
    void on(Turn& turn, Restarted peer) {
        dead.erase(peer.node);
        if (!office) return succeed(turn, peer.node);
        if (turn.fixed(central::failures)) forget(peer.node);
        call(turn, {peer.node});
    }

private:
    static NodeId fixed_server(const Turn& turn) {
        const MemberList& members = turn.seat.members;
        const NodeId wanted{turn.config().server};
        if (members.contains(wanted)) return wanted;
        return std::ranges::max(members, {},
                                [&](const Member& member) { return members.key(member.node); })
            .node;
    }
    // What a server has to tell itself needs no network.
    template <class M> void post(Turn& turn, NodeId to, const M& message) {
        if (to == turn.seat.self) return on(turn, to, message);
        turn.send(to, message);
    }
    bool serving(Epoch epoch) const { return office && bound->epoch == epoch; }

    Ticket ticket(const Turn& turn) const { return {turn.seat.incarnation, asked}; }
    Here standing(const Turn& turn) const {
        if (!quiet) return {bound->epoch, where, ticket(turn), past, heard};
        return {bound->epoch, Section::outside, {turn.seat.incarnation, {}}, {}, heard};
    }
    Ask request(const Turn& turn) const { return {bound->epoch, ticket(turn), past}; }
    void ask(Turn& turn) {
        if (bound && !quiet) post(turn, bound->server, request(turn));
    }
    void give_back(Turn& turn, NodeId to, const Grant& grant) {
        if (turn.fixed(central::rid)) turn.resend(to, Release{grant.epoch, grant.ticket, heard});
    }

    void queue_up(Turn& turn, Wish wish) {
        if (turn.config().causal) {
            office->arrived.add(wish.client, wish.ticket);
            heard.add(wish.client, wish.ticket);
            heard.add(wish.past);
        }
        if (turn.fixed(central::rid) && known(wish)) return;
        office->queue.push_back(std::move(wish));
    }
    bool known(const Wish& wish) const {
        const auto same = [&](const Wish& other) { return other.same(wish); };
        return wish.ticket <= office->closed.of(wish.client) ||
               (office->holder && same(*office->holder)) ||
               std::ranges::any_of(office->queue, same);
    }
    void take_over(const Turn& turn, const Wish& wish) {
        if (office->holder) return;  // this one, or the census did not wait for it
        if (turn.fixed(central::rid) && known(wish)) return;  // it has left meanwhile
        office->holder = wish;
    }
    void close(NodeId client, Ticket last) {
        const auto over = [&](const Wish& wish) {
            return wish.client == client && wish.ticket <= last;
        };
        office->closed.add(client, last);
        erase_if(office->queue, over);
        if (office->holder && over(*office->holder)) office->holder.reset();
    }
    void forget(NodeId gone) {
        erase_if(office->queue, [&](const Wish& wish) { return wish.client == gone; });
        if (!office->holder || office->holder->client != gone) return;
        office->holder.reset();
        died = gone;
    }
    void serve(Turn& turn) {
        if (office->holder) return;
        if (turn.fixed(central::census) && !office->awaited.empty()) return;
        const auto next =
            std::ranges::find_if(office->queue, [&](const Wish& w) { return ripe(w); });
        if (next == office->queue.end()) return;
        office->holder = *next;
        office->queue.erase(next);
        const Grant grant{bound->epoch, office->holder->ticket, std::exchange(died, {}), heard};
        post(turn, office->holder->client, grant);
    }
    // All that it knew of is here, or will never come, and none of that waits.
    bool ripe(const Wish& wish) const {
        return std::ranges::all_of(wish.past.latest, [&](const Past::Latest& before) {
            if (before.client == wish.client || dead.contains(before.client)) return true;
            if (office->arrived.of(before.client) < before.ticket) return false;
            return std::ranges::none_of(office->queue, [&](const Wish& other) {
                return other.client == before.client && other.ticket <= before.ticket;
            });
        });
    }

    void take_office(Turn& turn, Epoch least) {
        Reign reign{least, turn.seat.self};
        if (reign <= bound) reign.epoch = bound->epoch.next();
        bound = reign;
        office.emplace();
        NodeSet living;
        for (const Member& member : turn.seat.members) living.insert(member.node);
        call(turn, living - dead);
    }
    void call(Turn& turn, const NodeSet& nodes) {
        office->awaited |= nodes;
        for (NodeId node : nodes) post(turn, node, Census{bound->epoch, heard});
    }
    void outdate(Turn& turn, NodeId server) {
        if (turn.fixed(central::renumber)) turn.send(server, Outdated{*bound});
    }
    // If the server I am bound to is gone: my election may have named its successor long ago, who
    // does not know that somebody came in between.
    void succeed(Turn& turn, NodeId gone) {
        if (!turn.fixed(central::renumber) || !named || named == gone) return;
        if (!bound || bound->server != gone) return;
        if (named == turn.seat.self) return take_office(turn, bound->epoch.next());
        outdate(turn, *named);
    }
};

template <Server kind>
std::span<const Property<CentralWith<kind>>> CentralWith<kind>::properties() {
    using P = CentralWith;
    static constexpr std::array list{
        Property<P>{"one-inside", Demand::always, mutex::one_inside<P>},
        Property<P>{"nobody-waits", Demand::settled, mutex::nobody_waits<P>},
        Property<P>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<P>},
    };
    return list;
}

using Central = CentralWith<Server::fixed>;
using ElectedCentral = CentralWith<Server::elected>;
static_assert(Protocol<Central>);
static_assert(Protocol<ElectedCentral>);

}  // namespace conclave
