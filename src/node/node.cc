#include "node/node.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "core/print.h"
#include "node/placing.h"

namespace conclave::node {

Result<std::unique_ptr<Node>> Node::start(boost::asio::io_context& loop, const Config& config,
                                          Store store, LogSink& log, Metrics& metrics) {
    std::unique_ptr<Node> node(new Node(loop, config, log, metrics));
    if (auto error = node->take(std::move(store))) return *error;
    if (auto error = node->place_machines()) return *error;
    if (auto error = node->open_links()) return *error;
    return node;
}

Node::Node(boost::asio::io_context& loop, const Config& config, LogSink& log, Metrics& metrics)
    : loop_(loop),
      config_(config),
      log_(log),
      metrics_(metrics),
      dice_(std::random_device{}()),
      messenger_(loop, messengers_office()),
      sessions_(*this, {.ttl = config.locks.session_max}),
      mutexes_(loop, longest_silence(config), mutexes_office(), log) {
    for (const Peer& peer : node::roster(config_)) {
        if (peer.id == config_.node.id) continue;
        PeerState state;
        state.id = peer.id;
        state.name = peer.name;
        state.address = net::to_text(peer.address);
        state.opinion_since = now();
        peers_.push_back(std::move(state));
    }
}

Node::~Node() { stop(); }

void Node::stop() {
    if (!std::exchange(stopped_, true) && recorder_) recorder_->end();
    for (auto& errands : errands_) errands->stop();
    if (member_change_) member_change_->stop();
    for (auto& group : groups_) group->machine().stop();
    messenger_.stop();
    mutexes_.stop();
    if (links_) links_->stop();
    alarm_.reset();  // they would keep the loop waiting
    session_alarm_.reset();
    lock_alarm_.reset();
}

void Node::drain(bool drained) {
    drained_ = drained;
    for (std::size_t at = 0; at < groups_.size(); ++at) take_stand(at);
}

// Without an application to lead for, drained or unhealthy, a node votes but does not stand. Those
// who cannot be asked have elections in which everybody stands.
bool Node::should_stand(std::size_t at) const {
    const Fitness& fit = fitness_[at];
    return (fit.candidate || fit.campaigned) && fit.healthy && !drained_ && !removed();
}

void Node::take_stand(std::size_t at) {
    const auto tell = [this, at] {
        const bool stands = should_stand(at);
        if (std::exchange(fitness_[at].stands, stands) == stands) return;
        static_cast<void>(groups_[at]->ask(stands ? Wish(Return{}) : Wish(Retire{})));
    };
    if (!booted_ || fitness_[at].stands == should_stand(at)) return;
    if (should_stand(at)) return tell();
    recall(*groups_[at], tell);
}

void Node::recall(const HostedGroup& group, std::function<void()> then) {
    mutexes_.has(group.name()) ? then() : sessions_.recall(group.name(), std::move(then));
}

void Node::depart() {
    look();  // whom a leader names depends on who has answered it
    mutexes_.close();
    for (auto& group : groups_) {
        sessions_.recall(group->name(), [this, group = group.get()] {
            const HostedGroup::Answer answer = group->ask(Depart{});
            if (!answer.understood || answer.refused) departed_.insert(group);
        });
    }
}

void Node::hand_over(HostedGroup& group, const Resign& wish, Messenger::Answered then) {
    const auto leader = group.leader();
    if (!leader || !takes_wishes(*leader))
        return recall(group, [&group, wish, then] { then(group.ask(wish)); });
    messenger_.ask(*leader, group.name(), wish, std::move(then));
}

bool Node::takes_wishes(NodeId node) {
    const PeerState* peer = find_peer(node);
    const std::optional place = messengers_place();
    return peer && peer->linked && std::ranges::find(peer->machines, place) != peer->machines.end();
}

Mutexes::Office Node::mutexes_office() {
    return {[this](const std::string& group) { sessions_.changed(group); },
            [this](NodeId node) { return name_of(node); }};
}

Messenger::Office Node::messengers_office() {
    Messenger::Office office;
    office.send = [this](NodeId to, ByteView letter) {
        if (find_peer(to) && !cut_off_.contains(to)) links_->send(to, messengers_place(), letter);
    };
    office.ask = [this](NodeId from, const std::string& group, const Resign& wish,
                        const Messenger::Told& tell) { asked_by(from, group, wish, tell); };
    office.locks = [this] { return own_locks(); };
    office.dismiss = [this](const locks::Name& lock) { return dismiss_here(lock); };
    office.reform = [this](NodeId from, const std::string& name, const HostedGroup::Reform& wish,
                           const Messenger::Told& tell) {
        HostedGroup* const known = group(name);
        if (!known || !known->members().contains(from))
            return tell({true, Refused{Refused::Why::not_leader}});
        reform_here(*known, wish, tell);
    };
    office.cards = [this](NodeId, const std::vector<Card>& shown) { learn(shown); };
    return office;
}

void Node::asked_by(NodeId peer, const std::string& name, const Resign& wish,
                    const Messenger::Told& tell) {
    HostedGroup* const known = group(name);
    if (!known || !known->members().contains(peer))
        return tell({true, Refused{Refused::Why::not_leader}});
    recall(*known, [known, wish, tell] { tell(known->ask(wish)); });
}

bool Node::departed() const {
    return std::ranges::all_of(groups_, [this](const auto& group) {
        return group->departed() || departed_.contains(group.get());
    });
}

std::optional<Error> Node::take(Store store) {
    incarnation_ = store.incarnation();
    store_id_ = store.id().text;
    // The last few may not have reached the disk before a crash: their numbers are not used again.
    constexpr std::uint64_t gap = 1000;
    next_change_ = (store.last_index() / gap + 1) * gap + 1;
    for (const Group& group : config_.groups) {
        if (group.engine) continue;  // it keeps what must not be forgotten
        auto record = store.load(group.name, *group.algorithm);
        if (!record) return record.error();
        records_[group.name] = std::move(*record);
    }
    if (auto error = take_cards(store)) return error;
    Writer::Hooks hooks;
    hooks.post = [this](Writer::Task task) { boost::asio::post(loop_, std::move(task)); };
    hooks.failed = [this](const Error& error) { disk_failed(error); };
    writer_ = std::make_unique<Writer>(std::move(store), std::move(hooks));
    return std::nullopt;
}

std::optional<Error> Node::place_machines() {
    auto alarm = net::Alarm::make(loop_);
    if (!alarm) return alarm.error();
    alarm_.emplace(std::move(*alarm));
    auto session_alarm = net::Alarm::make(loop_);
    if (!session_alarm) return session_alarm.error();
    session_alarm_.emplace(std::move(*session_alarm));
    detector_ = place_detector(config_, incarnation_, *this);
    for (const Group& group : config_.groups) add_group(group);
    take_seats();
    if (config_.locks.serve) {
        if (auto error = open_session_locks()) return error;
    }
    if (!config_.record.dir.empty()) start_recording();
    return std::nullopt;
}

void Node::add_group(const Group& group) {
    const std::size_t at = groups_.size();
    const auto number = static_cast<std::uint32_t>(at + 1);
    groups_.push_back(group.engine ? place_on_engine(group, config_, number, *this, loop_, log_)
                                   : place(group, config_, number, incarnation_, *this));
    if (mutex_of_group(group.name)) mutexes_.add(*groups_.back());
    // Until its first answer, an application that has a say in it is not taken for healthy.
    fitness_.push_back({group.candidate, false, !group.health.has_value(), true});
    Errands::Office office;
    office.health = [this, at](bool healthy) {
        if (std::exchange(fitness_[at].healthy, healthy) != healthy) take_stand(at);
    };
    office.name_of = [this](NodeId node) { return name_of(node); };
    errands_.push_back(std::make_unique<Errands>(loop_, group, *groups_.back(), std::move(office),
                                                 log_, config_.node.state_dir));
}

std::optional<Error> Node::open_links() {
    net::Links::Settings settings;
    settings.hello.cluster = config_.cluster.name;
    settings.hello.node = config_.node.id;
    settings.hello.name = config_.node.name;
    settings.hello.incarnation = incarnation_;
    settings.hello.store = store_id_;
    settings.hello.groups.push_back({detector_->name(), detector_->algorithm()});
    for (const auto& group : groups_) {
        settings.hello.groups.push_back({group->name(), group->algorithm()});
    }
    settings.hello.groups.push_back({std::string(Messenger::name), "1"});
    settings.listen = net::to_text(config_.peer.listen);
    for (const PeerState& peer : peers_) {
        if (!peer.removed) settings.peers.push_back({peer.id, peer.name, peer.address});
    }
    const Tls& tls = config_.peer.tls;
    if (tls.given()) settings.tls = {tls.ca.string(), tls.cert.string(), tls.key.string()};
    links_ = std::make_unique<net::Links>(loop_, std::move(settings),
                                          static_cast<net::Links::Events&>(*this), log_);
    const auto port = links_->start();
    if (!port) return port.error();
    port_ = *port;
    if (!mutexes_.empty() && incarnation_ > Incarnation{1}) {
        boot_not_before_ = now() + mutexes_.silence();
    }
    boot_due_ = std::max(boot_not_before_, now() + boot_patience());
    wake_at_next();
    return std::nullopt;
}

// Whoever asks for votes before anybody can hear it has to wait for its next try. The classic
// mutual exclusions have none: what they say on their return to somebody who is not linked is lost
// for good. They wait as long as it takes to find out who is there; and in a later life until the
// clients of the earlier one have stopped, for the others will take their silence for being inside.
Duration Node::boot_patience() const {
    if (peers_.empty()) return Duration::zero();
    constexpr Duration usual = std::chrono::milliseconds(150);
    return mutexes_.empty() ? usual : std::max(usual, config_.detector.detect_within);
}

void Node::start_recording() {
    FlightRecorder::Settings settings;
    settings.folder = config_.record.dir;
    settings.bytes = static_cast<std::uint64_t>(config_.record.bytes);
    settings.head.cluster = config_.cluster.name;
    settings.head.node = config_.node.id;
    settings.head.name = config_.node.name;
    settings.head.incarnation = incarnation_;
    settings.head.clock = clock_identity();
    settings.now = net::now;
    settings.machines = [this] {
        std::vector<wire::RecordedMachine> machines{detector_->portrait()};
        for (const auto& group : groups_) machines.push_back(group->portrait());
        return machines;
    };
    log_.log(Level::info, "every step is recorded", {{"folder", config_.record.dir.string()}});
    recorder_ = std::make_unique<FlightRecorder>(std::move(settings), log_);
}

FlightRecorder::Totals Node::recorded() const {
    return recorder_ ? recorder_->totals() : FlightRecorder::Totals{};
}

Instant Node::next_boot() const {
    const bool all = std::ranges::all_of(
        peers_, [](const PeerState& peer) { return peer.linked || peer.removed; });
    return all ? boot_not_before_ : boot_due_;
}

void Node::boot_when_linked() {
    if (booted_) return;
    if (now() < next_boot()) return wake_at_next();
    booted_ = true;
    boot(*detector_);
    for (std::size_t at = 0; at < groups_.size(); ++at) {
        boot(*groups_[at]);
        take_stand(at);
        errands_[at]->start();
    }
    for (PeerState& peer : peers_) catch_up(peer);
    mutexes_.settle();
}

void Node::boot(HostedGroup& group) {
    if (auto error = group.machine().boot(records_[group.name()])) {
        disk_failed({"group '" + group.name() + "': " + error->what});
    }
}

std::string Node::name_of(NodeId node) const {
    if (node == config_.node.id) return config_.node.name;
    for (const PeerState& peer : peers_) {
        if (peer.id == node) return peer.name;
    }
    return to_text(node);
}

std::optional<NodeId> Node::find(std::string_view name) const {
    if (name == config_.node.name) return config_.node.id;
    for (const PeerState& peer : peers_) {
        if (peer.name == name && !peer.removed) return peer.id;
    }
    return std::nullopt;
}

HostedGroup* Node::group(std::string_view name) {
    for (auto& group : groups_) {
        if (group->name() == name) return group.get();
    }
    return nullptr;
}

HostedGroup& Node::machine(std::uint32_t number) {
    return number == 0 ? *detector_ : *groups_[number - 1];
}

std::uint32_t Node::messengers_place() const {
    return static_cast<std::uint32_t>(groups_.size() + 1);
}

PeerState* Node::find_peer(NodeId node) {
    const auto found = std::ranges::find(peers_, node, &PeerState::id);
    return found == peers_.end() || found->removed ? nullptr : &*found;
}

std::optional<PeerState> Node::peer(NodeId node) {
    PeerState* known = find_peer(node);
    if (!known) return std::nullopt;
    PeerState state = *known;
    state.opinion = detector_->machine().opinion(node);
    return state;
}

Node::Listening Node::listen(Listener listener) {
    std::erase_if(listeners_, [](const auto& one) { return one.expired(); });
    auto kept = std::make_shared<Listener>(std::move(listener));
    listeners_.push_back(kept);
    return kept;
}

std::vector<std::pair<std::uint64_t, Change>> Node::changes_after(std::uint64_t number) const {
    const auto first = std::ranges::upper_bound(
        changes_, number, {}, [](const auto& numbered) { return numbered.first; });
    return {first, changes_.end()};
}

}  // namespace conclave::node
