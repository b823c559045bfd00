// net/links.cc -- the switchboard: dials, admits, refuses, and keeps everybody in their place.
#include "net/links.h"

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <cassert>
#include <utility>

#include "net/greeting.h"
#include "net/switchboard.h"

namespace conclave::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

bool is_loopback(const asio::ip::address& address) {
    return is_loopback(HostPort{address.to_string(), 0});
}

Result<HostPort> parse_place(const std::string& text, bool plaintext) {
    auto address = parse_address(text);
    if (!address) return address.error();
    auto* place = std::get_if<HostPort>(&*address);
    if (!place) return Error{"address \"" + text + "\": links between nodes need host:port"};
    if (plaintext && !is_loopback(*address))
        return Error{"address \"" + text + "\" is not loopback: links to it need TLS"};
    return std::move(*place);
}

}  // namespace

Links::Switchboard::Switchboard(asio::io_context& loop, Settings settings, Events& events,
                                LogSink& log)
    : loop_(loop),
      settings_(std::move(settings)),
      events_(events),
      log_(log),
      resolver_(loop),
      complaints_(log) {
    settings_.hello.ring = wire::ring_size;
    // By the node: those that lost a peer at the same time should not dial it at the same time.
    std::seed_seq seed{std::uint64_t{number(settings_.hello.node)},
                       settings_.hello.incarnation.value};
    dice_.seed(seed);
}

// --- Start and stop. -----------------------------------------------------------------------------

Result<std::uint16_t> Links::Switchboard::start() {
    assert(!listener_ && !stopped_);
    Bytes scratch;
    if (auto error = wire::append_hello(scratch, settings_.hello)) return *std::move(error);
    if (auto error = load_tls()) return *std::move(error);
    if (auto error = meet_peers()) return *std::move(error);
    const auto place = parse_place(settings_.listen, !tls_);
    if (!place) return place.error();
    auto listener = Listener::make(loop_, *place, log_,
                                   [this](Link::Socket socket) { visited(std::move(socket)); });
    if (!listener) return listener.error();
    listener_.emplace(std::move(*listener));
    if (!tls_)
        log_.log(Level::warning, "links are plaintext, on loopback only",
                 {{"listen", settings_.listen}});
    for (auto& [id, contact] : contacts_) dial(contact);
    return listener_->endpoint().port();
}

std::optional<Error> Links::Switchboard::meet_peers() {
    for (const Peer& peer : settings_.peers) {
        if (peer.id == settings_.hello.node)
            return Error{"peer \"" + peer.name + "\" has the id of this node"};
        auto place = parse_place(peer.address, !tls_);
        if (!place) return Error{"peer \"" + peer.name + "\": " + place.error().what};
        if (!contacts_.try_emplace(peer.id, loop_, peer, std::move(*place)).second)
            return Error{"peer \"" + peer.name + "\" has the id of another peer"};
    }
    return std::nullopt;
}

std::optional<Error> Links::Switchboard::load_tls() {
    if (!settings_.tls) return std::nullopt;
    auto loaded = Tls::load(*settings_.tls);
    if (!loaded) return loaded.error();
    if (!loaded->own().is_for(settings_.hello.name))
        return Error{settings_.tls->cert + " is not for this node: \"" + settings_.hello.name +
                     "\" is not among its DNS names"};
    if (loaded->own().expires < std::chrono::system_clock::now())
        log_.log(Level::warning, "our certificate has expired", {{"file", settings_.tls->cert}});
    tls_.emplace(std::move(*loaded));
    return std::nullopt;
}

void Links::Switchboard::stop() {
    if (std::exchange(stopped_, true)) return;
    listener_.reset();
    resolver_.cancel();
    for (auto& [id, contact] : contacts_) {
        contact.retry.cancel();
        if (contact.dialing) contact.dialing->close();
        if (!contact.link) continue;
        contact.link->leave("it is shutting down");
        contact.link->disown();
        contact.past += contact.link->traffic;
        contact.link.reset();
    }
    for (const auto& stranger : strangers_) stranger->close();
    strangers_.clear();
}

// --- Dialling and being dialled. -----------------------------------------------------------------

void Links::Switchboard::visited(Link::Socket socket) {
    error_code error;
    const auto from = socket.remote_endpoint(error);
    if (error) return;  // gone again
    if (!tls_ && !is_loopback(from.address())) return;
    // In a flood it is the oldest who goes: somebody honest needs only a moment, and would never
    // get in if the first to come could keep the rest out.
    if (strangers_.size() >= settings_.strangers) {
        ++strangers_seen_;
        strangers_.front()->close();
        strangers_.erase(strangers_.begin());
    }
    strangers_.push_back(std::make_shared<Link>(std::move(socket), tls(), settings_.limits, *this));
    strangers_.back()->serve();
}

void Links::Switchboard::dial(Contact& contact) {
    error_code not_numeric;
    const auto address = asio::ip::make_address(contact.place.host, not_numeric);
    if (!not_numeric) return connect(contact, {address, contact.place.port});
    resolver_.async_resolve(
        contact.place.host, std::to_string(contact.place.port), tcp::resolver::numeric_service,
        [self = shared_from_this(), &contact](const error_code& error, auto found) {
            if (self->stopped_ || !contact.known) return;
            if (!error) {  // one of its addresses per try: a dead one must not use up all the time
                const auto at = static_cast<std::ptrdiff_t>(contact.tries++ % found.size());
                return self->connect(contact, std::next(found.begin(), at)->endpoint());
            }
            self->complain(contact, "cannot reach peer", error.message());
            self->dial_later(contact);
        });
}

void Links::Switchboard::connect(Contact& contact, const tcp::endpoint& endpoint) {
    if (contact.dialing) return;  // who was forgotten and added again was looked up twice
    if (!tls_ && !is_loopback(endpoint.address())) {
        complain(contact, "cannot reach peer", "its address is not loopback, and there is no TLS");
        return dial_later(contact);
    }
    contact.dialing = std::make_shared<Link>(Link::Socket(loop_), tls(), settings_.limits, *this);
    contact.dialing->peer = contact.peer.id;
    contact.dialing->dial(endpoint);
}

void Links::Switchboard::dial_later(Contact& contact) {
    if (!dials(settings_.hello.node, contact.peer.id)) return;  // it was a knock
    contact.pause = std::clamp(contact.pause * 2, settings_.least_pause, settings_.most_pause);
    std::uniform_int_distribution<Duration::rep> draw(contact.pause.count() / 2,
                                                      contact.pause.count());
    contact.retry.expires_after(Duration(draw(dice_)));
    contact.retry.async_wait([self = shared_from_this(), &contact](const error_code& error) {
        if (!error && !self->stopped_ && contact.known) self->dial(contact);
    });
}

void Links::Switchboard::dial_now(Contact& contact) {
    contact.pause = {};
    // Only a pause is cut short. Whatever else goes on (a name being resolved, a connection being
    // made) is about to succeed or to start a pause of its own.
    if (contact.retry.cancel() > 0) dial(contact);
}

// --- Hellos. -------------------------------------------------------------------------------------

void Links::Switchboard::opened(Link& link) {
    if (link.peer) link.say(settings_.hello);  // who was dialled answers when it knows to whom
}

std::optional<std::string> Links::Switchboard::refuse_hello(Link& link, const wire::Hello& hello) {
    const Contact* claimed = find(hello.node);
    const Peer* peer = claimed ? &claimed->peer : nullptr;
    if (auto why = refuse(settings_.hello, hello, peer, link.certificate())) return why;
    if (link.peer && *link.peer != hello.node)
        return "node " + std::to_string(number(*link.peer)) + " was dialled, this is node " +
               std::to_string(number(hello.node));
    // Of another store, numbers count from the beginning: the disk was lost, and what that means is
    // for the elections to say.
    if (hello.store == claimed->store && hello.incarnation < claimed->incarnation)
        return "this is incarnation " + std::to_string(hello.incarnation.value) + " of " +
               hello.name + ", and incarnation " + std::to_string(claimed->incarnation.value) +
               " has been here";
    return std::nullopt;
}

void Links::Switchboard::greeted(Link& link, wire::Hello hello) {
    if (const auto why = refuse_hello(link, hello)) return refused(link, hello, *why);
    Contact& contact = *find(hello.node);
    const bool right_way = link.peer || dials(hello.node, settings_.hello.node);
    right_way ? admit(link, contact, hello) : knocked(link, contact, hello);
}

void Links::Switchboard::refused(Link& link, const wire::Hello& hello, const std::string& why) {
    link.leave(why);
    if (link.peer) {
        Contact& dialled = *find(*link.peer);
        retire(std::exchange(dialled.dialing, nullptr));
        complain(dialled, "peer is refused", why);
        return dial_later(dialled);
    }
    ++strangers_seen_;
    if (Contact* claimed = find(hello.node))
        complaints_.of_visitor(claimed->complaint, {claimed->peer.name, link.remote()}, why);
    else
        complaints_.of_stranger(link.remote(), why);
}

void Links::Switchboard::admit(Link& link, Contact& contact, const wire::Hello& hello) {
    if (contact.link) {
        const auto old = contact.link;
        unlink(contact, "it has come back on a new link");
        old->leave("there is a newer link");
    }
    if (stopped_ || link.closed()) return;  // by whoever was told of it
    contact.link = link.shared_from_this();
    // A knock whose goodbye is still on its way, while the answer to it is here already.
    const auto dialing = std::exchange(contact.dialing, nullptr);
    if (dialing && dialing.get() != &link) dialing->close();
    std::erase(strangers_, contact.link);
    contact.store = hello.store;
    contact.incarnation = hello.incarnation;
    contact.pause = {};
    contact.complaint.clear();
    ++link.traffic.links;
    link.welcome(hello);
    if (!std::exchange(link.peer, hello.node)) link.say(settings_.hello);
    log_.log(Level::info, "link is up",
             {{"peer", contact.peer.name},
              {"address", link.remote()},
              {"incarnation", std::to_string(hello.incarnation.value)}});
    events_.linked(hello.node, hello);
}

void Links::Switchboard::knocked(Link& link, Contact& contact, const wire::Hello& hello) {
    link.leave("heard you, dialling back");
    // It has just started, so whatever link there is leads to the process before it.
    if (contact.link && (hello.incarnation > contact.incarnation || hello.store != contact.store)) {
        const auto old = contact.link;
        unlink(contact, "it has been restarted");
        old->leave("you have been restarted");
    }
    if (!stopped_) dial_now(contact);
}

// --- The end of links. ---------------------------------------------------------------------------

void Links::Switchboard::ended(Link& link, const std::string& why) {
    if (!link.peer) {
        ++strangers_seen_;
        return complaints_.of_stranger(link.remote(), why);
    }
    Contact& contact = *find(*link.peer);
    if (contact.link.get() == &link) return unlink(contact, why);
    assert(contact.dialing.get() == &link);
    retire(std::exchange(contact.dialing, nullptr));
    if (dials(settings_.hello.node, contact.peer.id)) complain(contact, "cannot reach peer", why);
    dial_later(contact);
}

void Links::Switchboard::gone(Link& link) {
    std::erase_if(strangers_, [&link](const auto& other) { return other.get() == &link; });
}

void Links::Switchboard::unlink(Contact& contact, const std::string& why) {
    contact.past += contact.link->traffic;
    retire(std::exchange(contact.link, nullptr));
    log_.log(Level::info, "link is down", {{"peer", contact.peer.name}, {"why", why}});
    dial_later(contact);
    events_.unlinked(contact.peer.id, why);
}

// Until it is gone it takes a stranger's place: links that say goodbye cannot pile up either.
void Links::Switchboard::retire(std::shared_ptr<Link> link) {
    if (!link->closed()) strangers_.push_back(std::move(link));
}

// --- Peers. --------------------------------------------------------------------------------------

Contact* Links::Switchboard::find(NodeId peer) {
    const auto found = contacts_.find(peer);
    return found == contacts_.end() || !found->second.known ? nullptr : &found->second;
}

std::optional<Error> Links::Switchboard::add(const Peer& peer) {
    auto place = parse_place(peer.address, !tls_);
    if (!place) return Error{"peer \"" + peer.name + "\": " + place.error().what};
    Contact& contact = contacts_.try_emplace(peer.id, loop_, peer, *place).first->second;
    contact.peer = peer;
    contact.place = std::move(*place);
    contact.known = true;
    contact.pause = {};
    contact.retry.cancel();
    if (!contact.link && !contact.dialing) dial(contact);
    return std::nullopt;
}

// What the loop still has to do for it may find it here.
void Links::Switchboard::forget(NodeId peer, const std::string& why) {
    Contact* const contact = find(peer);
    if (!contact) return;
    contact->known = false;
    contact->retry.cancel();
    if (const auto dialing = std::exchange(contact->dialing, nullptr)) dialing->close();
    const auto link = std::exchange(contact->link, nullptr);
    if (!link) return;
    contact->past += link->traffic;
    link->leave(why);
    retire(link);
}

// --- The public face. ----------------------------------------------------------------------------

Links::Links(asio::io_context& loop, Settings settings, Events& events, LogSink& log)
    : switchboard_(std::make_shared<Switchboard>(loop, std::move(settings), events, log)) {}

Links::~Links() { stop(); }

Result<std::uint16_t> Links::start() { return switchboard_->start(); }

void Links::send(NodeId to, std::uint32_t group, ByteView message, Hurry hurry) {
    switchboard_->send(to, group, message, hurry);
}

void Links::look() { switchboard_->look(); }
void Links::look_now_and_then() { switchboard_->look_now_and_then(); }
void Links::gather() { switchboard_->gather(); }
void Links::flush() { switchboard_->flush(); }

std::optional<Error> Links::add(const Peer& peer) { return switchboard_->add(peer); }

void Links::forget(NodeId peer, const std::string& why) { switchboard_->forget(peer, why); }

bool Links::up(NodeId peer) const {
    const Contact* contact = switchboard_->find(peer);
    return contact && contact->link;
}

Traffic Links::traffic(NodeId peer) const {
    const Contact* contact = switchboard_->find(peer);
    if (!contact) return {};
    Traffic sum = contact->past;
    if (contact->link) sum += contact->link->traffic;
    return sum;
}

std::uint64_t Links::strangers_seen() const { return switchboard_->strangers_seen_; }

std::optional<Error> Links::reload() { return switchboard_->load_tls(); }

std::optional<std::chrono::sys_seconds> Links::certificate_expires() const {
    if (!switchboard_->tls_) return std::nullopt;
    return switchboard_->tls_->own().expires;
}

void Links::stop() { switchboard_->stop(); }

}  // namespace conclave::net
