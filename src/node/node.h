// node/node.h -- one node: its links, its disk, its detector, and a machine for every group.
//
// Everything here runs on one thread, that of the loop; only the disk has one of its own. The
// detector is machine 0 and serves all groups: its verdicts are events for each of them. A letter
// names its machine by the sender's number; the hello says which name that is.
#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "net/clock.h"
#include "net/links.h"
#include "net/log.h"
#include "node/cards.h"
#include "node/config.h"
#include "node/errands.h"
#include "node/flight_recorder.h"
#include "node/hosted_group.h"
#include "node/member_change.h"
#include "node/messenger.h"
#include "node/metrics.h"
#include "node/mutexes.h"
#include "node/session_locks.h"
#include "node/sessions.h"
#include "node/timers.h"
#include "store/writer.h"

namespace conclave::node {

// What is known about another node.
struct PeerState {
    NodeId id{};
    std::string name, address;
    bool removed = false;            // it was a peer once
    std::uint64_t links = 0;         // grows whenever a link comes up or goes down
    bool linked = false;             // and its hello is accepted
    std::string distrusted;          // why its letters count for nothing; empty: they do
    Incarnation suspected_life{};    // when it was last suspected
    Incarnation incarnation{};       // of its last hello
    std::optional<Opinion> opinion;  // none: nothing heard of it yet
    Instant opinion_since{};
    std::string evidence;                                // what the opinion rests on
    std::optional<Instant> last_heard, last_told;        // as the detector knows it
    std::vector<std::optional<std::uint32_t>> machines;  // its numbers -> ours
    struct Letter {
        std::uint32_t group = 0;
        Bytes message;
    };
    std::vector<Letter> early;  // came before we could take them
};

class Node final : private net::Links::Events, private Estate, private Sessions::Lender {
public:
    static Result<std::unique_ptr<Node>> start(boost::asio::io_context& loop, const Config& config,
                                               Store store, LogSink& log, Metrics& metrics);
    ~Node() override;

    const Config& config() const { return config_; }
    Incarnation incarnation() const { return incarnation_; }
    std::uint16_t port() const { return port_; }  // where peers find it
    net::Links& links() { return *links_; }
    Writer& writer() { return *writer_; }
    std::string name_of(NodeId node) const;  // its number, if it never had a name here
    std::optional<NodeId> find(std::string_view name) const;
    std::string own_address() const;  // as its peers should know it

    std::vector<std::unique_ptr<HostedGroup>>& groups() { return groups_; }
    HostedGroup* group(std::string_view name);
    HostedGroup& detector() { return *detector_; }
    const std::deque<PeerState>& peers() const { return peers_; }  // also who was removed
    std::optional<PeerState> peer(NodeId node);  // with the detector's opinion as it is now
    // Called whenever the detector changes its mind about somebody.
    using OpinionEar = std::function<void(const PeerState& peer, bool trusted)>;
    void set_opinion_ear(OpinionEar ear) { opinion_ear_ = std::move(ear); }

    Instant now() override { return net::now(); }
    // Hears what can wait, before somebody is told what this node knows. Where many ask all the
    // time, what came within the last few milliseconds is left for later.
    void look();
    void look_now_and_then();
    // Called when it has done what it was woken for, in the middle of its events: so later, please.
    void when_awake(std::function<void()> then) { awake_ = std::move(then); }

    // The clients, and who of them leads. Whatever ends a lease early goes through `recall`.
    Sessions& sessions() { return sessions_; }
    // Why nobody can campaign in this group here; nothing: one can.
    std::optional<std::string> no_campaign(const HostedGroup& group) const;

    Mutexes& mutexes() { return mutexes_; }
    // For the application that embeds this node: what a group tells, in the middle of its step.
    using NoticeEar = std::function<void(HostedGroup& group, const Told& notice)>;
    void set_notice_ear(NoticeEar ear) { notice_ear_ = std::move(ear); }

    // A stream of changes, newest last; each has the number of its place in it.
    using Listener = std::function<void(std::uint64_t number, const Change& change)>;
    using Listening = std::shared_ptr<Listener>;
    [[nodiscard]] Listening listen(Listener listener);
    std::vector<std::pair<std::uint64_t, Change>> changes_after(std::uint64_t number) const;
    std::uint64_t last_change() const { return next_change_ - 1; }

    // By whoever leads the group, if there is a link to it; else this node is asked, and refuses.
    void hand_over(HostedGroup& group, const Resign& wish, Messenger::Answered then);

    // The members, as they change while the cluster runs: node_members.cc. Who is in it, by id:
    std::vector<NodeId> roster() const;
    bool removed() const { return cards_.removed(config_.node.id); }  // this node
    std::string membership() const;  // in words: how the file and the stored cards differ
    // Group after group; one change at a time is begun here.
    void change_members(const MemberChange::Wish& wish, MemberChange::Ended then);
    // What is new in these is kept, and told to everybody.
    void learn(const std::vector<Card>& shown);
    const Cards& cards() const { return cards_; }
    bool reforms(const HostedGroup& group) const;  // else its members are those of the files
    // By whoever leads the group.
    void reform(HostedGroup& group, const HostedGroup::Reform& wish, Duration patience,
                Messenger::Answered then);

    // What the sessions hold; nothing: this node serves no locks, and neither does what follows.
    SessionLocks* session_locks() { return session_locks_.get(); }
    // By whoever leads the lock service. Nothing: nobody does, or it has not answered.
    void list_locks(Messenger::Listed then);
    void dismiss(const locks::Name& lock, Messenger::Dismissed then);

    // Whether this node takes part in elections: not while it is drained or unhealthy.
    bool drained() const { return drained_; }
    void drain(bool drained);
    // A clean end: hand over, let what was promised run out; then `departed`, then stop.
    void depart();
    bool departed() const;
    void stop();

    // For rehearsals of a partition: nothing goes to these, and nothing of theirs is heard.
    void cut_off(NodeSet peers) { cut_off_ = std::move(peers); }

    // What has been recorded; nothing if that is switched off.
    FlightRecorder::Totals recorded() const;

    // The disk has failed: why. Nothing is decided here any more.
    const std::optional<Error>& failure() const { return failure_; }

private:
    Node(boost::asio::io_context& loop, const Config& config, LogSink& log, Metrics& metrics);
    std::optional<Error> take(Store store);
    std::optional<Error> place_machines();
    std::optional<Error> open_links();
    void start_recording();
    void boot_when_linked();
    void boot(HostedGroup& group);

    // As the links' owner.
    void linked(NodeId peer, const wire::Hello& hello) override;
    void unlinked(NodeId peer, std::string_view why) override;
    void arrived(NodeId peer, std::uint32_t group, ByteView message, Duration waited) override;

    // As the groups' estate.
    Instant moment() override;
    Duration draw(Wait wait) override;
    void send(std::uint32_t machine, NodeId to, ByteView message, net::Hurry hurry) override;
    void alarm(std::uint32_t machine, Instant due, std::uint32_t stamp) override;
    void save(std::uint32_t machine, ByteView record) override;
    void changed(const Change& change) override;
    void told(std::uint32_t machine, const Told& notice) override;
    bool recording() const override { return recorder_ && recorder_->on(); }
    void record(wire::RecordedStep step, std::optional<NodeId> from) override;

    // As the lender of the sessions.
    std::optional<Tenure> tenure(const std::string& group) override;
    Attribute attribute(const std::string& group) override;
    void stand(const std::string& group, const Sessions::Standing& standing) override;
    void resign(const std::string& group) override;
    void wake(Instant due) override;
    void ended(const std::string& session) override;

    std::optional<Error> take_cards(const Store& store);
    void apply(const Card& card);
    void apply_to_peer(PeerState& peer, const Card& card);
    void apply_to_self(const Card& card);
    void show_cards(const PeerState& peer);
    void take_seats();
    MemberList seat_of(const HostedGroup& group) const;
    void reform_here(HostedGroup& group, const HostedGroup::Reform& wish,
                     HostedGroup::Answered then);
    bool can_do_without(const HostedGroup& group, NodeId node);

    void deliver(PeerState& peer, std::uint32_t group, ByteView message);
    void catch_up(PeerState& peer);
    void welcome(PeerState& peer, const wire::Hello& hello, Acquaintance how);
    std::optional<std::uint32_t> ours(const wire::Offer& offer, const std::string& peer);
    HostedGroup& machine(std::uint32_t number);
    Messenger::Office messengers_office();
    std::uint32_t messengers_place() const;  // among the machines, behind all groups
    bool takes_wishes(NodeId peer);
    // The leader of the lock service, if it is another node that can be asked.
    std::optional<NodeId> lock_leader_elsewhere();
    std::optional<Error> open_session_locks();
    void follow_lock_leader();
    std::optional<locks::LockList> own_locks();
    std::optional<std::uint64_t> dismiss_here(const locks::Name& lock);
    void asked_by(NodeId peer, const std::string& group, const Resign& wish,
                  const Messenger::Told& tell);
    PeerState* find_peer(NodeId node);
    GroupPlace place_of(const std::string& group) const;
    // Before its leader gives up what it could keep. A mutex only stands on such a group: whoever
    // is inside stays there under the next leader.
    void recall(const HostedGroup& group, std::function<void()> then);
    bool should_stand(std::size_t at) const;
    void take_stand(std::size_t at);
    void add_group(const Group& group);
    void spread(const Verdict& verdict, NodeId about);
    void meet_again(const PeerState& peer, bool first);
    Mutexes::Office mutexes_office();
    Duration boot_patience() const;
    Instant next_boot() const;  // when to look whether it is time
    void note_opinion(NodeId node, bool trusted);
    Instant next_due();
    void wake_at_next();
    template <class F> void at_once(F what);
    void fire_due();
    void disk_failed(const Error& error);

    boost::asio::io_context& loop_;
    const Config config_;
    LogSink& log_;
    Metrics& metrics_;
    Incarnation incarnation_{};
    std::string store_id_;
    std::uint16_t port_ = 0;
    std::map<std::string, std::optional<Bytes>> records_;
    std::unique_ptr<Writer> writer_;
    std::unique_ptr<net::Links> links_;
    std::optional<net::Alarm> alarm_, session_alarm_, lock_alarm_;
    Instant alarm_set_ = Instant::max();
    Instant latest_{};   // of all that has happened to a machine
    Duration waited_{};  // since what is happening came
    bool busy_ = false;  // the alarm is set when all is done
    std::function<void()> awake_;
    Instant boot_due_{};         // even if somebody is not linked,
    Instant boot_not_before_{};  //   and even if all are
    bool booted_ = false, stopped_ = false;
    Timers timers_;
    std::mt19937_64 dice_;
    std::unique_ptr<HostedGroup> detector_;
    std::vector<std::unique_ptr<HostedGroup>> groups_;
    std::deque<PeerState> peers_;  // they stay where they are
    Cards cards_;
    std::shared_ptr<MemberChange> member_change_;  // none: none is under way
    NodeSet cut_off_;
    Messenger messenger_;
    std::unique_ptr<FlightRecorder> recorder_;               // none: it is switched off
    std::vector<std::pair<std::uint64_t, Change>> changes_;  // the newest
    std::uint64_t next_change_ = 1;
    std::vector<std::weak_ptr<Listener>> listeners_;
    OpinionEar opinion_ear_;
    NoticeEar notice_ear_;
    struct Fitness {              // to lead a group
        bool candidate = false;   // by configuration
        bool campaigned = false;  // there is a session to lead for
        bool healthy = true;
        bool stands = true;  // as the machine was told
    };
    std::vector<Fitness> fitness_;  // by group
    std::vector<std::unique_ptr<Errands>> errands_;
    std::set<const HostedGroup*> departed_;  // those that promise nothing
    Sessions sessions_;
    Mutexes mutexes_;
    std::unique_ptr<SessionLocks> session_locks_;
    bool drained_ = false;
    std::optional<Error> failure_;
};

}  // namespace conclave::node
