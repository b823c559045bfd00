// elect/appointed.h -- no election: the coordinator is the one a person names.
//
// Ensures  one leader per epoch, in every state; at rest every live node names the newest one.
// Breaks   nothing, but heals nothing either: a dead leader stays the leader until a person notices
//          and names another, and that takes a majority of the nodes.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "core/node_set.h"
#include "elect/election.h"

namespace conclave {

struct Appointed {
    static constexpr Model assumes{Links::hostile, Timing::asynchronous, Faults::partition};
    static constexpr Claim claim{
        Kind::election,
        "lecture 004",
        "one leader per epoch; at rest all name the newest appointment",
        "nobody takes over from a dead leader but by a person's word",
        "N - 1",
        "5, or 1 where the person vouches for the epoch",
    };
    enum FixIndex : std::size_t { unique_epoch, acks, enquiries };
    static constexpr std::array fixes{
        Fix{"unique-epoch", "an epoch is announced once a majority has none newer (M-AP-1)"},
        Fix{"ack", "an announcement is repeated until acknowledged"},
        Fix{"enquire", "who was away asks for the newest appointment"},
    };
    static constexpr bool needs_calls = true;  // nobody leads unless a person says so
    struct Config {
        FixSet fixes{};
        Duration answer{};   // then ask again
        Duration enquire{};  // between two enquiries, each of another node
        std::uint32_t attempts = 8;
    };
    static Config configure(const Settings& s) {
        return {{}, s.round_trip(), 10 * s.round_trip(), 8};
    }
    static Duration settles_within(const Config& config, std::size_t nodes) {
        const Duration appointing = 3 * (config.attempts + 1) * config.answer;
        return appointing + static_cast<std::int64_t>(nodes + 1) * config.enquire;
    }
    template <class F> static void each_option(Config& config, F option) {
        option("answer", config.answer);
        option("enquire", config.enquire);
        option("attempts", config.attempts);
    }

    struct Office {
        Epoch epoch;
        NodeId leader{};
        friend bool operator==(const Office&, const Office&) = default;
    };
    struct Announce {
        Office office;
    };
    struct AnnounceAck {
        static constexpr bool repair = true;
        Epoch epoch;
    };
    struct AskEpoch {  // which is the newest you know of?
        static constexpr bool repair = true;
        Nonce nonce;
    };
    struct EpochIs {
        static constexpr bool repair = true;
        Nonce nonce;
        Epoch epoch;
    };
    struct Reserve {  // compare and set: this one, unless you know one as new
        static constexpr bool repair = true;
        Office office;
    };
    struct Reserved {
        static constexpr bool repair = true;
        Office office;
        bool granted = false;
    };
    struct Enquire {  // this is the newest appointment I know of; is there another?
        static constexpr bool repair = true;
        Epoch epoch;
    };
    using Message =
        std::variant<Announce, AnnounceAck, AskEpoch, EpochIs, Reserve, Reserved, Enquire>;

    struct NoMajority {};  // too few have answered
    struct NoAck {};       // somebody has not acknowledged the announcement
    struct EnquiryDue {};
    using Timer = std::variant<NoMajority, NoAck, EnquiryDue>;

    using Request = std::variant<Appoint, Campaign>;
    using Notice = std::variant<LeaderIs, Refused>;
    struct Durable {
        std::optional<Office> office;  // the newest announced to me
        Office reserved;               // the newest I granted: nobody else may have its epoch
    };
    using Turn = conclave::Turn<Appointed>;
    using History = ElectionHistory;

    struct Pending {  // an appointment on its way
        enum class Step : std::uint8_t { ask, reserve };
        Step step{};
        Office office;  // its epoch: as the person wishes, later the one to reserve
        Epoch newest;   // of those who answered
        NodeSet yes, no;
    };
    Durable known{};
    std::optional<Pending> pending;
    std::uint32_t attempts = 0;
    Nonce nonce{};
    NodeSet unacked;
    std::uint32_t announced = 0;
    std::uint32_t enquired = 0;

    std::optional<NodeId> elected(Instant) const {
        return known.office ? std::optional(known.office->leader) : std::nullopt;
    }
    static std::span<const Property<Appointed>> properties();

    void on(Turn& turn, const Booted<Appointed>& booted) {
        known = booted.durable;
        nonce = {turn.seat.incarnation.value << 32};  // none of an earlier life comes again
        if (known.office) turn.tell(LeaderIs{known.office->leader, known.office->epoch});
        if (!turn.fixed(enquiries)) return;
        for (const Member& member : turn.seat.members) enquire(turn, member.node);
        turn.arm(EnquiryDue{}, turn.config().enquire);
    }
    // Epoch 0 asks for the next one, whichever that is.
    void on(Turn& turn, Appoint wish) {
        const auto place = turn.seat.members.find(wish.leader);
        if (!place || turn.seat.members[*place].role != Role::voter) {
            return turn.tell(Refused{Refused::Why::not_eligible});
        }
        if (pending) return turn.tell(Refused{Refused::Why::busy});
        pending =
            Pending{Pending::Step::ask, {wish.epoch, wish.leader}, known.reserved.epoch, {}, {}};
        if (!turn.fixed(unique_epoch)) return settle_epoch(turn);
        nonce = nonce.next();
        ask_for_votes(turn, AskEpoch{nonce});
        count(turn, turn.seat.self, true);
    }
    // The person who calls an election at a node names that node.
    void on(Turn& turn, Campaign) { on(turn, Appoint{turn.seat.self, {}}); }
    void on(Turn& turn, Trusted peer) { enquire(turn, peer.node); }

    void on(Turn& turn, NodeId from, AskEpoch asked) {
        turn.send(from, EpochIs{asked.nonce, known.reserved.epoch});
    }
    void on(Turn& turn, NodeId from, EpochIs answer) {
        if (!pending || pending->step != Pending::Step::ask || answer.nonce != nonce) return;
        pending->newest = std::max(pending->newest, answer.epoch);
        count(turn, from, true);
    }
    void on(Turn& turn, NodeId from, Reserve reserve) {
        const bool granted = grant(turn, reserve.office);
        turn.send(from, Reserved{reserve.office, granted});
    }
    void on(Turn& turn, NodeId from, Reserved answer) {
        if (!pending || pending->step != Pending::Step::reserve) return;
        if (answer.office == pending->office) count(turn, from, answer.granted);
    }
    void on(Turn& turn, NodeId from, Announce announce) {
        if (known.office && announce.office.epoch < known.office->epoch) {
            turn.resend(from, Announce{*known.office});  // you are outdated
        } else if (!known.office || announce.office.epoch > known.office->epoch) {
            adopt(turn, announce.office);
        }
        if (turn.fixed(acks)) turn.send(from, AnnounceAck{announce.office.epoch});
    }
    void on(Turn& turn, NodeId from, AnnounceAck ack) {
        if (!known.office || ack.epoch != known.office->epoch) return;
        unacked.erase(from);
        if (unacked.empty()) turn.disarm(NoAck{});
    }
    void on(Turn& turn, NodeId from, Enquire theirs) {
        if (theirs.epoch < epoch()) turn.resend(from, Announce{*known.office});
        if (theirs.epoch > epoch()) turn.send(from, Enquire{epoch()});
    }

    void on(Turn& turn, NoMajority) {
        if (++attempts >= turn.config().attempts) return refuse(turn, Refused::Why::unreachable);
        if (pending->step == Pending::Step::ask) {
            ask_for_votes(turn, AskEpoch{nonce});
        } else {
            ask_for_votes(turn, Reserve{pending->office});
        }
    }
    void on(Turn& turn, NoAck) {
        if (++announced >= turn.config().attempts) return unacked.clear();  // they will enquire
        for (NodeId node : unacked) turn.resend(node, Announce{*known.office});
        turn.arm(NoAck{}, turn.config().answer);
    }
    void on(Turn& turn, EnquiryDue) {
        enquire(turn, turn.seat.members.around(turn.seat.self, ++enquired));
        turn.arm(EnquiryDue{}, turn.config().enquire);
    }

private:
    Epoch epoch() const { return known.office ? known.office->epoch : Epoch{}; }
    void enquire(Turn& turn, NodeId node) const {
        if (node != turn.seat.self && turn.fixed(enquiries)) turn.send(node, Enquire{epoch()});
    }

    static bool is_majority(const Turn& turn, const NodeSet& nodes) {
        std::uint64_t all = 0, some = 0;
        for (const Member& member : turn.seat.members) {
            if (member.role == Role::learner) continue;
            all += member.weight;
            if (nodes.contains(member.node)) some += member.weight;
        }
        return 2 * some > all;
    }
    template <class M> void ask_for_votes(Turn& turn, M message) {
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self || member.role == Role::learner) continue;
            if (!pending->yes.contains(member.node)) turn.send(member.node, message);
        }
        turn.arm(NoMajority{}, turn.config().answer);
    }
    void count(Turn& turn, NodeId voter, bool granted) {
        (granted ? pending->yes : pending->no).insert(voter);
        NodeSet left;
        for (const Member& member : turn.seat.members) left.insert(member.node);
        left -= pending->no;
        if (!is_majority(turn, left)) return refuse(turn, Refused::Why::stale_epoch);
        if (!is_majority(turn, pending->yes)) return;
        if (pending->step == Pending::Step::ask) return settle_epoch(turn);
        announce(turn);
    }
    // Read: the newest epoch of a majority. Then set, if it still is the newest.
    void settle_epoch(Turn& turn) {
        Epoch& wish = pending->office.epoch;
        if (wish == Epoch{}) wish = pending->newest.next();
        if (wish <= pending->newest) return refuse(turn, Refused::Why::stale_epoch);
        if (!turn.fixed(unique_epoch)) return announce(turn);
        pending->step = Pending::Step::reserve;
        pending->yes.clear();
        attempts = 0;
        const bool granted = grant(turn, pending->office);
        ask_for_votes(turn, Reserve{pending->office});
        count(turn, turn.seat.self, granted);
    }
    bool grant(Turn& turn, Office office) {
        if (office == known.reserved) return true;  // asked again
        if (office.epoch <= known.reserved.epoch) return false;
        known.reserved = office;
        turn.save(known);
        return true;
    }
    void refuse(Turn& turn, Refused::Why why) {
        close(turn);
        turn.tell(Refused{why});
    }
    void announce(Turn& turn) {
        if (pending->office.epoch <= epoch()) return refuse(turn, Refused::Why::stale_epoch);
        adopt(turn, pending->office);
        close(turn);
        for (const Member& member : turn.seat.members) {
            if (member.node == turn.seat.self) continue;
            turn.send(member.node, Announce{*known.office});
            unacked.insert(member.node);
        }
        announced = 0;
        if (turn.fixed(acks)) turn.arm(NoAck{}, turn.config().answer);
    }
    void close(Turn& turn) {
        pending.reset();
        attempts = 0;
        turn.disarm(NoMajority{});
    }
    void adopt(Turn& turn, Office office) {
        assert(office.epoch > epoch());
        unacked.clear();
        turn.disarm(NoAck{});
        known.office = office;
        if (known.reserved.epoch < office.epoch) known.reserved = office;
        turn.save(known);
        turn.tell(LeaderIs{office.leader, office.epoch});
    }
};
static_assert(Protocol<Appointed>);

namespace appointed {

inline std::string text(const std::optional<Appointed::Office>& office) {
    if (!office) return "nobody";
    return election::name(office->leader) + " since epoch " + std::to_string(office->epoch.value);
}

// Also among those who were only told: an epoch has one name.
inline std::optional<std::string> one_name_per_epoch(const View<Appointed>& view) {
    for (const auto& one : view.nodes) {
        const auto& office = one.state->known.office;
        if (!one.up || !office) continue;
        for (const auto& other : view.nodes) {
            const auto& theirs = other.state->known.office;
            if (!other.up || !theirs || theirs->epoch != office->epoch) continue;
            if (theirs->leader == office->leader) continue;
            return election::name(one.node) + " names " + text(office) + ", " +
                   election::name(other.node) + " names " + text(theirs);
        }
    }
    return std::nullopt;
}

// At rest everybody knows the newest appointment, if there ever was one.
inline std::optional<std::string> all_know_the_newest(const View<Appointed>& view) {
    const Standing<Appointed>* first = nullptr;
    for (const auto& node : view.nodes) {
        if (!node.up) continue;
        if (first == nullptr) first = &node;
        const auto& mine = node.state->known.office;
        const auto& theirs = first->state->known.office;
        if (mine == theirs) continue;
        return election::name(first->node) + " names " + text(theirs) + ", " +
               election::name(node.node) + " names " + text(mine);
    }
    return std::nullopt;
}

}  // namespace appointed

inline std::span<const Property<Appointed>> Appointed::properties() {
    using P = Appointed;
    static constexpr std::array list{
        Property<P>{"one leader per epoch", Demand::always, election::one_winner_per_epoch<P>},
        Property<P>{"one name per epoch", Demand::always, appointed::one_name_per_epoch},
        Property<P>{"somebody leads", Demand::sometimes, election::somebody_leads<P>},
        Property<P>{"all know the newest", Demand::settled, appointed::all_know_the_newest},
    };
    return list;
}

}  // namespace conclave
