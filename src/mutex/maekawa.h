// mutex/maekawa.h -- mutual exclusion by voting sets (Maekawa 1985), as lecture 003 retells it.
//
// Who wants to enter needs the vote of everybody in its voting set; nobody votes for two at once,
// and any two sets have a voter in common.
//
// Ensures  one at a time; every request of a live node is granted once all who crashed are back.
//          With a reliable detector it is enough that one voting set is alive.
// Breaks   if a message is lost (scenarios/maekawa_lost_message.txt), or a live node is said to
//          have failed (scenarios/maekawa_false_verdict.txt). A request may overtake one that
//          happened before it: the two need not meet at a voter in time.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "core/node_set.h"
#include "core/small.h"
#include "mutex/maekawa_words.h"
#include "mutex/mutex.h"

namespace conclave {

struct Maekawa {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::mutex,
        "Maekawa 1985, Sanders 1987; lecture 003",
        "one at a time; who waits enters once all who crashed are back",
        "a lost message blocks for ever; a false verdict lets two in; requests may overtake",
        "3(K-1) alone, at most 6K under contention, K about sqrt(N)",
        "client delay 2, synchronization delay 2",
    };
    static constexpr bool needs_returns = true;  // without a reliable detector
    using FixIndex = maekawa::FixIndex;
    static constexpr auto& fixes = maekawa::fixes;
    using Config = maekawa::Config;
    static Config configure(const Settings& s) {
        return {
            .nodes = s.nodes, .hop = s.tm + s.tp, .coterie = make_coterie(Sets::smallest, s.nodes)};
    }
    static std::optional<std::string> refuse(const Config& config) {
        return maekawa::refuse(config);
    }
    // A voter is back and says so; it is asked, asks its vote back, gets it, gives it.
    static Duration settles_within(const Config& config, std::size_t) { return 8 * config.hop; }
    template <class F> static void each_option(Config& config, F option) {
        const Sets before = config.sets;
        option("sets", config.sets);
        if (config.sets != before) config.coterie = make_coterie(config.sets, config.nodes);
        option("form", config.form);
        option("queues", config.queues);
        option("reroute", config.reroute);
    }

    using Message = maekawa::Message;
    using Timer = std::variant<None>;
    using Observe = maekawa::Observe;
    using Request = std::variant<Enter, Leave, Observe>;
    using Notice = std::variant<Entered, HolderDied>;
    struct Durable {
        maekawa::Clock clock;                // no later life may use an earlier stamp again
        std::optional<maekawa::Stamp> vote;  // given, and perhaps given back
    };
    using Turn = conclave::Turn<Maekawa>;
    using History = MutexHistory;

    // As one who wants to enter.
    Section phase = Section::outside;
    maekawa::Clock clock{};
    maekawa::Clock mine{};  // of my request
    NodeSet voters;         // whom I need
    NodeSet granted;
    NodeSet denied;
    Small<maekawa::Inquiry, 4> inquiries;
    bool stranded = false;  // one of them is dead and there is no other set: nobody was asked
    NodeSet dead;

    // As a voter.
    std::optional<maekawa::Stamp> vote;
    Small<maekawa::Stamp, 4> queue;
    bool inquired = false;  // the vote was asked back

    Section section(Instant) const { return phase; }
    maekawa::Clock stamp() const { return clock; }
    NodeSet waits_for() const { return phase == Section::waiting ? voters - granted : NodeSet{}; }
    static std::span<const Property<Maekawa>> properties();

    void on(Turn& turn, const Booted<Maekawa>& booted) {
        assert(turn.seat.members.size() == turn.config().coterie.nodes);
        clock = booted.durable.clock;
        if (turn.seat.incarnation <= Incarnation{1}) return;
        for (const Member& member : turn.seat.members) {
            if (member.node != turn.seat.self) turn.send(member.node, maekawa::Returned{clock});
        }
        vote = booted.durable.vote;
        if (vote && vote->node == turn.seat.self) vote.reset();  // my request died with me
        // It may not have arrived, and what came back for it was lost: whoever has no use for it
        // will say so.
        if (vote) turn.resend(vote->node, maekawa::Grant{vote->clock});
    }

    // --- One who wants to enter. ---

    void on(Turn& turn, Enter) {
        if (phase != Section::outside) return;
        phase = Section::waiting;
        ask_voters(turn);
    }
    void on(Turn& turn, Leave) {
        if (phase != Section::inside) return;
        phase = Section::outside;
        release_voters(turn);
        if (!turn.fixed(maekawa::own_vote) && turn.fixed(maekawa::own_queue) && !vote) {
            pass_vote(turn);
        }
    }
    void on(Turn&, Observe seen) { learn(seen.clock); }

    void on(Turn& turn, NodeId from, maekawa::Grant grant) {
        if (!is_mine(grant.clock)) {
            return turn.resend(from, maekawa::Release{grant.clock});  // a request long over
        }
        granted.insert(from);
        denied.erase(from);
        enter_if_elected(turn);
        yield(turn);
    }
    void on(Turn& turn, NodeId from, maekawa::Denied denial) {
        if (!is_mine(denial.clock)) return;
        denied.insert(from);
        yield(turn);
    }
    // Perhaps ahead of the grant that it speaks of: then it waits for it.
    void on(Turn& turn, NodeId from, maekawa::Inquire inquire) {
        if (!is_mine(inquire.clock)) return;  // my release is on its way
        inquiries.push_back({from, inquire.life});
        yield(turn);
    }

    // --- A voter. ---

    void on(Turn& turn, NodeId from, maekawa::Ask ask) {
        const maekawa::Stamp asker{ask.clock, from};
        learn(ask.clock);
        if (dead.contains(from)) return;                     // its last words
        if (vote == asker || queue.contains(asker)) return;  // asked again: it thought me dead
        if (is_free(turn)) return vote_for(turn, asker);
        const auto head = queue.empty() ? std::nullopt : std::optional(queue.front());
        enqueue(turn, asker);
        if (vote && turn.fixed(maekawa::inquire)) settle_precedence(turn, asker, head);
    }
    void on(Turn& turn, NodeId from, maekawa::Release release) {
        const maekawa::Stamp done{release.clock, from};
        erase_if(queue, [&](const maekawa::Stamp& one) { return one == done; });
        if (vote != done) return;
        if (from == turn.seat.self && !turn.fixed(maekawa::own_queue)) return vote.reset();
        pass_vote(turn);
    }
    void on(Turn& turn, NodeId from, maekawa::Yield yielded) {
        if (yielded.life != turn.seat.incarnation) return;
        if (vote != maekawa::Stamp{yielded.clock, from}) return;
        enqueue(turn, *vote);
        pass_vote(turn);
    }
    void on(Turn& turn, NodeId from, maekawa::Returned since) { bury(turn, from, since.clock); }

    // --- Who died, and who is back. ---

    void on(Turn& turn, Failed peer) {
        dead.insert(peer.node);
        bury(turn, peer.node, clock);
        if (!turn.fixed(maekawa::step_back) || !waits_for().contains(peer.node)) return;
        if (!stranded) release_voters(turn);
        ask_voters(turn);
    }
    void on(Turn& turn, Trusted peer) {
        dead.erase(peer.node);
        if (stranded) ask_voters(turn);
    }
    // Its queue is lost. Its vote is not, but it will say so itself: whoever counted on the former
    // life's word could be asked for the vote and give it back before that arrives, and so count it
    // twice.
    void on(Turn& turn, Restarted peer) {
        const bool asked = phase == Section::waiting && !stranded && voters.contains(peer.node);
        if (asked) {
            granted.erase(peer.node);
            denied.erase(peer.node);
            erase_if(inquiries, [&](const auto& inquiry) { return inquiry.voter == peer.node; });
            turn.resend(peer.node, maekawa::Ask{mine});
        }
        on(turn, Trusted{peer.node});
    }

private:
    // A message to myself needs no network.
    template <class M> void post(Turn& turn, NodeId to, const M& message) {
        to == turn.seat.self ? on(turn, to, message) : turn.send(to, message);
    }
    void learn(maekawa::Clock seen) { clock = std::max(clock, seen); }
    void save(Turn& turn) {
        turn.save({clock, turn.fixed(maekawa::durable_vote) ? vote : std::nullopt});
    }

    // --- One who wants to enter. ---

    bool is_mine(maekawa::Clock asked) const { return phase != Section::outside && asked == mine; }
    // With a stamp of its own: what was sent under an earlier one is void.
    void ask_voters(Turn& turn) {
        clock = mine = clock.next();
        save(turn);
        choose_voters(turn);
        if (stranded) return;
        for (NodeId voter : NodeSet(voters)) post(turn, voter, maekawa::Ask{mine});
        enter_if_elected(turn);
    }
    void choose_voters(Turn& turn) {
        const Coterie& coterie = turn.config().coterie;
        const auto place = static_cast<std::uint32_t>(turn.seat.members.index_of(turn.seat.self));
        Places gone, set = coterie.set_of(place);
        for (NodeId node : turn.fixed(maekawa::step_back) ? dead : NodeSet{}) {
            gone.push_back(static_cast<std::uint32_t>(turn.seat.members.index_of(node)));
        }
        const auto lives = [&](std::uint32_t voter) { return !gone.contains(voter); };
        stranded = !std::ranges::all_of(set, lives);
        if (stranded && turn.config().reroute) {
            if (auto other = coterie.set_without(gone, place)) {
                set = *other;
                stranded = false;
            }
        }
        voters.clear();
        for (std::uint32_t voter : set) voters.insert(turn.seat.members[voter].node);
        if (!turn.fixed(maekawa::own_vote)) voters.erase(turn.seat.self);
    }
    void enter_if_elected(Turn& turn) {
        if (phase != Section::waiting || stranded || !waits_for().empty()) return;
        phase = Section::inside;
        inquiries.clear();
        turn.tell(Entered{});
    }
    // Every vote that was asked back and that I have, if I cannot be sure of all.
    void yield(Turn& turn) {
        const bool willing = turn.config().form == maekawa::Form::eager || !denied.empty();
        if (phase != Section::waiting || !willing) return;
        for (auto inquiry = inquiries.begin(); inquiry != inquiries.end(); ++inquiry) {
            if (!granted.contains(inquiry->voter)) continue;
            const auto [voter, life] = *inquiry;
            inquiries.erase(inquiry);
            granted.erase(voter);
            denied.insert(voter);
            post(turn, voter, maekawa::Yield{mine, life});
            return yield(turn);  // my own vote may have come back to me
        }
    }
    void release_voters(Turn& turn) {
        granted.clear();
        denied.clear();
        inquiries.clear();
        for (NodeId voter : std::exchange(voters, {})) post(turn, voter, maekawa::Release{mine});
    }

    // --- A voter. ---

    bool is_free(const Turn& turn) const {
        return !vote && (turn.fixed(maekawa::own_vote) || phase != Section::inside);
    }
    void enqueue(Turn& turn, maekawa::Stamp asker) {
        const bool ordered = turn.config().queues == maekawa::Queues::ordered;
        queue.insert(ordered ? std::ranges::upper_bound(queue, asker) : queue.end(), asker);
    }
    void vote_for(Turn& turn, maekawa::Stamp asker) {
        vote = asker;
        inquired = false;
        // My own request dies with me, and my vote for it.
        if (turn.fixed(maekawa::durable_vote) && asker.node != turn.seat.self) save(turn);
        post(turn, asker.node, maekawa::Grant{asker.clock});
    }
    void pass_vote(Turn& turn) {
        vote.reset();
        if (queue.empty()) return;
        const maekawa::Stamp next = queue.front();
        queue.erase(queue.begin());
        vote_for(turn, next);
    }
    // The earliest request shall have the vote; whoever is not next must know it.
    void settle_precedence(Turn& turn, maekawa::Stamp asker, std::optional<maekawa::Stamp> head) {
        const bool denies = turn.config().form == maekawa::Form::failed;
        const maekawa::Stamp holder = *vote;
        if (asker > holder || queue.front() != asker) {
            if (denies) post(turn, asker.node, maekawa::Denied{asker.clock});
            return;
        }
        const bool displaced = head && *head < holder;
        if (denies && displaced && turn.fixed(maekawa::displaced_head)) {
            post(turn, head->node, maekawa::Denied{head->clock});
        }
        if (std::exchange(inquired, true)) return;
        post(turn, holder.node, maekawa::Inquire{holder.clock, turn.seat.incarnation});
    }
    // What a dead node asked up to then is void, and the vote it had is free. It may have been
    // inside.
    void bury(Turn& turn, NodeId node, maekawa::Clock until) {
        const auto is_void = [&](const maekawa::Stamp& one) {
            return one.node == node && one.clock <= until;
        };
        erase_if(queue, is_void);
        if (!vote || !is_void(*vote) || !turn.fixed(maekawa::free_votes)) return;
        turn.tell(HolderDied{node});
        pass_vote(turn);
    }
};
static_assert(Protocol<Maekawa>);

inline std::span<const Property<Maekawa>> Maekawa::properties() {
    static constexpr std::array list{
        Property<Maekawa>{"one-inside", Demand::always, mutex::one_inside<Maekawa>},
        Property<Maekawa>{"nobody-waits", Demand::settled, mutex::nobody_waits<Maekawa>},
        Property<Maekawa>{"somebody-enters", Demand::sometimes, mutex::somebody_enters<Maekawa>},
    };
    return list;
}

}  // namespace conclave
