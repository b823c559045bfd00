// elect/bully.h -- the bully election (Garcia-Molina 1982) as the lectures retell it, with epochs.
//
// Ensures  once the network is quiet, every live node names the best live node.
// Breaks   if an answer is merely late: two leaders for a while. See
//          scenarios/bully_late_answer_makes_two_leaders.txt.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <variant>

#include "core/node_set.h"
#include "elect/election.h"

namespace conclave {

struct Bully {
    static constexpr Model assumes{Links::reliable, Timing::synchronous, Faults::restart};
    static constexpr Claim claim{
        Kind::election,
        "Garcia-Molina 1982; lectures 000, 001, 003, 004",
        "at rest every live node names the best live node",
        "a late answer or a partition makes two leaders at once",
        "N^2 - N - 1 worst, N - 2 best",
        "4 worst, 1 best",
    };
    enum FixIndex : std::size_t { epochs, lower_claim, reannounce, receiver_decides, acks };
    static constexpr std::array fixes{
        Fix{"epoch", "the larger (epoch, id) wins and an outdated claimant is told (BYT-1)"},
        Fix{"lower-claim", "a claim by a lower node starts an election (BYT-3)"},
        Fix{"reannounce", "a leader answers a late election with its claim, not a new run (BYT-4)"},
        Fix{"receiver-decides", "with live attributes the receiver decides who is higher (BYT-5)"},
        Fix{"ack", "a claim is repeated until acknowledged (BYT-7)"},
    };
    struct Config {
        FixSet fixes{};
        Duration answer{};   // T: by then everybody above me has answered, or is dead
        Duration victory{};  // T': by then somebody who answered has taken office
        Join join = Join::call;
        bool live_attribute = false;  // "higher" is not decidable here: ask everybody
        std::uint32_t announcements = 8;
    };
    static Config configure(const Settings& s) {
        const Duration answer = s.round_trip();
        return {{}, answer, answer + 2 * s.tm + 2 * s.tp, s.join, s.live_attribute, 8};
    }
    static Duration settles_within(const Config& config, std::size_t) {
        return 4 * (config.answer + config.victory);
    }
    template <class F> static void each_option(Config& config, F option) {
        option("answer", config.answer);
        option("victory", config.victory);
        option("announcements", config.announcements);
    }

    struct Election {  // to those above me: is any of you alive?
        Epoch epoch;
        Key key;
    };
    struct Answer {  // I am; leave it to me
        Epoch epoch;
    };
    struct Coordinator {  // I lead
        Epoch epoch;
        Key key;
    };
    struct CoordinatorAck {  // understood: you may start to work
        static constexpr bool repair = true;
        Epoch epoch;
    };
    using Message = std::variant<Election, Answer, Coordinator, CoordinatorAck>;

    struct NoAnswer {};  // nobody above me spoke
    struct NoVictor {};  // somebody did, yet nobody took office
    struct NoAck {};     // somebody has not acknowledged my claim
    using Timer = std::variant<NoAnswer, NoVictor, NoAck>;

    struct Working {  // all who live have acknowledged: the coordinator may coordinate
        Epoch epoch;
    };
    using Request = std::variant<Campaign>;
    using Notice = std::variant<LeaderIs, Working>;
    struct Durable {
        Epoch epoch;  // the largest seen: a restarted node must not claim in an old one
    };
    using Turn = conclave::Turn<Bully>;
    using History = ElectionHistory;

    struct Office {  // who leads, since which epoch
        Epoch epoch;
        Key key;
        friend auto operator<=>(const Office&, const Office&) = default;
    };
    Durable seen{};
    bool bystander = false;  // joined silently: whoever leads may, until somebody calls
    bool running = false;
    bool answered = false;
    Key key{};  // frozen when the election starts
    std::optional<Office> office;
    NodeSet suspected;
    NodeSet unacked;
    std::uint32_t announced = 0;

    std::optional<NodeId> elected(Instant) const {
        return office ? std::optional(office->key.node) : std::nullopt;
    }
    static std::span<const Property<Bully>> properties();

    void on(Turn& turn, const Booted<Bully>& booted) {
        seen = booted.durable;
        bystander = turn.config().join == Join::stay;
        if (!bystander) hold_election(turn);
    }
    void on(Turn& turn, Campaign) {
        if (!running) hold_election(turn);
    }
    void on(Turn& turn, Suspected peer) {
        suspected.insert(peer.node);
        acknowledged(turn, peer.node);
        if (elected(turn.now) == peer.node) hold_election(turn);
    }
    void on(Turn& turn, Trusted peer) {
        suspected.erase(peer.node);
        if (leading(turn)) turn.resend(peer.node, standing_claim());  // it may have missed it
    }

    // It lost its office with its memory, but it lives: nobody may be elected over its head.
    void on(Turn& turn, Restarted peer) {
        const bool led = elected(turn.now) == peer.node;
        on(turn, Trusted{peer.node});
        if (led) hold_election(turn);
    }

    void on(Turn& turn, NodeId from, Election election) {
        bystander = false;
        learn(election.epoch);
        if (turn.config().live_attribute && turn.fixed(receiver_decides) &&
            election.key > turn.seat.key()) {
            return;  // its caller is better than I am: none of my business
        }
        turn.send(from, Answer{election.epoch});
        if (leading(turn) && turn.fixed(reannounce)) {
            turn.resend(from, standing_claim());
        } else if (!running) {
            hold_election(turn);
        }
    }
    void on(Turn& turn, NodeId, Answer) {
        if (!running || answered) return;  // late: somebody leads already
        answered = true;
        turn.disarm(NoAnswer{});
        turn.arm(NoVictor{}, turn.config().victory);
    }
    void on(Turn& turn, NodeId from, Coordinator claim_made) {
        const Office claimed{claim_made.epoch, claim_made.key};
        learn(claimed.epoch);
        if (turn.fixed(epochs) && office && claimed < *office) {
            turn.resend(from, Coordinator{office->epoch, office->key});  // you are outdated
        } else if (turn.fixed(lower_claim) && !bystander && claimed.key < turn.seat.key()) {
            hold_election(turn);  // a lower one may not rule over me
        } else {
            if (office != claimed) follow(turn, claimed);
            if (turn.fixed(acks)) turn.send(from, CoordinatorAck{claimed.epoch});
        }
    }
    void on(Turn& turn, NodeId from, CoordinatorAck ack) {
        if (leading(turn) && ack.epoch == office->epoch) acknowledged(turn, from);
    }

    void on(Turn& turn, NoAnswer) { lead(turn); }
    void on(Turn& turn, NoVictor) { hold_election(turn); }
    void on(Turn& turn, NoAck) {
        if (++announced >= turn.config().announcements)
            unacked.clear();  // dead, and nobody says so
        for (NodeId node : unacked) turn.resend(node, standing_claim());
        await_acks(turn);
    }

private:
    bool leading(const Turn& turn) const { return office && office->key.node == turn.seat.self; }
    Coordinator standing_claim() const { return {office->epoch, office->key}; }
    void learn(Epoch epoch) {
        if (epoch > seen.epoch) seen.epoch = epoch;  // saved with the next epoch of our own
    }
    // Whom an election must ask, and a claim must reach. Static priorities: those above, those
    // below. Live attributes: everybody, for only the owner knows its own.
    bool above(const Turn& turn, const Member& member) const {
        if (member.node == turn.seat.self) return false;
        return turn.config().live_attribute || turn.seat.members.key(member.node) > key;
    }
    bool below(const Turn& turn, const Member& member) const {
        if (member.node == turn.seat.self) return false;
        return turn.config().live_attribute || turn.seat.members.key(member.node) < key;
    }

    void hold_election(Turn& turn) {
        bystander = false;
        running = true;
        answered = false;
        office.reset();
        unacked.clear();
        key = turn.seat.key();
        seen.epoch = seen.epoch.next();
        turn.save(seen);
        turn.tell(LeaderIs{std::nullopt, seen.epoch});
        turn.disarm(NoVictor{});
        turn.disarm(NoAck{});
        bool asked = false;
        for (const Member& member : turn.seat.members) {
            if (!above(turn, member) || suspected.contains(member.node)) continue;
            turn.send(member.node, Election{seen.epoch, key});
            asked = true;
        }
        if (!asked) return lead(turn);
        turn.arm(NoAnswer{}, turn.config().answer);
    }
    void lead(Turn& turn) {
        follow(turn, {seen.epoch, key});
        announced = 0;
        for (const Member& member : turn.seat.members) {
            if (!below(turn, member)) continue;
            turn.send(member.node, standing_claim());
            if (!suspected.contains(member.node)) unacked.insert(member.node);
        }
        await_acks(turn);
    }
    void follow(Turn& turn, Office winner) {
        running = false;
        office = winner;
        unacked.clear();
        turn.disarm(NoAnswer{});
        turn.disarm(NoVictor{});
        turn.disarm(NoAck{});
        turn.tell(LeaderIs{winner.key.node, winner.epoch});
    }
    void acknowledged(Turn& turn, NodeId node) {
        if (!unacked.contains(node)) return;
        unacked.erase(node);
        if (unacked.empty()) await_acks(turn);
    }
    void await_acks(Turn& turn) {
        if (unacked.empty() || !turn.fixed(acks)) {
            turn.disarm(NoAck{});
            turn.tell(Working{office->epoch});
        } else {
            turn.arm(NoAck{}, turn.config().answer);
        }
    }
};
static_assert(Protocol<Bully>);

inline std::span<const Property<Bully>> Bully::properties() {
    static constexpr std::array list{
        Property<Bully>{"somebody leads", Demand::sometimes, election::somebody_leads<Bully>},
        Property<Bully>{"all agree", Demand::settled, election::all_agree<Bully>},
        Property<Bully>{"the best leads", Demand::settled, election::best_leads<Bully>},
    };
    return list;
}

}  // namespace conclave
