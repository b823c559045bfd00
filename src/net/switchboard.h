// net/switchboard.h -- what is behind Links: every contact, and who may talk to whom.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "net/complaints.h"
#include "net/contact.h"
#include "net/links.h"
#include "net/listener.h"

namespace conclave::net {

class Links::Switchboard : public Link::Owner, public std::enable_shared_from_this<Switchboard> {
public:
    Switchboard(boost::asio::io_context& loop, Settings settings, Events& events, LogSink& log);

    Result<std::uint16_t> start();
    void stop();
    std::optional<Error> load_tls();
    void send(NodeId to, std::uint32_t group, ByteView message, Hurry hurry);
    void look(const Link* but = nullptr);
    void look_now_and_then();
    void gather();
    void flush();
    std::optional<Error> add(const Peer& peer);
    void forget(NodeId peer, const std::string& why);
    Contact* find(NodeId peer);

    std::optional<Tls> tls_;
    std::uint64_t strangers_seen_ = 0;

private:
    void opened(Link& link) override;
    void greeted(Link& link, wire::Hello hello) override;
    void woken(Link& link) override;
    bool gathers() const override { return gathering_; }
    void arrived(Link& link, const wire::Letter& letter, Duration waited) override;
    void ended(Link& link, const std::string& why) override;
    void gone(Link& link) override;

    std::optional<Error> meet_peers();
    bool rested() const;
    Tls* tls() { return tls_ ? &*tls_ : nullptr; }

    void visited(Link::Socket socket);
    void dial(Contact& contact);
    void connect(Contact& contact, const boost::asio::ip::tcp::endpoint& endpoint);
    void dial_later(Contact& contact);
    void dial_now(Contact& contact);
    std::optional<std::string> refuse_hello(Link& link, const wire::Hello& hello);
    void refused(Link& link, const wire::Hello& hello, const std::string& why);
    void admit(Link& link, Contact& contact, const wire::Hello& hello);
    void knocked(Link& link, Contact& contact, const wire::Hello& hello);
    void unlink(Contact& contact, const std::string& why);
    void retire(std::shared_ptr<Link> link);
    void complain(Contact& contact, std::string_view event, const std::string& why) {
        complaints_.of_peer(contact.complaint, event, {contact.peer.name, contact.peer.address},
                            why);
    }

    boost::asio::io_context& loop_;
    Settings settings_;
    Events& events_;
    LogSink& log_;
    std::optional<Listener> listener_;
    boost::asio::ip::tcp::resolver resolver_;
    std::map<NodeId, Contact> contacts_;
    // Oldest first: who has been accepted but has not said hello, and links on their way out.
    std::vector<std::shared_ptr<Link>> strangers_;
    Complaints complaints_;
    std::minstd_rand dice_;
    bool stopped_ = false, telling_ = false, gathering_ = false;
    struct Fetched {
        Duration waited{};
        std::shared_ptr<Link> link;
    };
    std::vector<Fetched> fetched_;
    Instant looked_{};
};

}  // namespace conclave::net
