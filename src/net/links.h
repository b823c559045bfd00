// net/links.h -- the links of one node to all its peers.
//
// One TCP connection per pair of nodes, TLS 1.3 with certificates on both ends; plaintext only
// between loopback addresses. The node with the smaller id dials and tries again for ever, the
// other listens (peer.h says why). The larger id only *knocks*, once, when it starts: it says
// hello, and the smaller one dials at once instead of at its next try. A link is up when the peer's
// hello has come and is accepted, never earlier: in TLS 1.3 the client does not learn from its
// handshake that the server refuses it. Letters are lost when there is no link, and with a link
// that breaks. Between, they arrive in order and once. Everything happens on the loop's thread
// (names are resolved on one of Asio's own).
#pragma once
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/log.h"
#include "net/peer.h"
#include "wire/packets.h"

namespace conclave::net {

class Links {
public:
    struct Settings {
        wire::Hello hello;            // what we say of ourselves
        std::string listen;           // "host:port"; port 0: the system chooses
        std::vector<Peer> peers;      // without ourselves
        std::optional<TlsFiles> tls;  // none: every address must be loopback
        Duration least_pause = std::chrono::milliseconds(50);  // between two tries to dial a peer;
        Duration most_pause = std::chrono::seconds(2);         // doubles from one to the other
        LinkLimits limits;
        std::size_t strangers = 256;  // connections that have not said hello, or not gone yet
    };

    // Called from the loop, never from inside a call of Links but look and flush. They may call
    // anything of Links, but not destroy it.
    class Events {
    public:
        virtual ~Events() = default;
        virtual void linked(NodeId peer, const wire::Hello& hello) = 0;
        virtual void unlinked(NodeId peer, std::string_view why) = 0;  // once per linked
        // `waited`: how long ago it came, if it could wait.
        virtual void arrived(NodeId peer, std::uint32_t group, ByteView message,
                             Duration waited) = 0;
    };

    Links(boost::asio::io_context& loop, Settings settings, Events& events, LogSink& log);
    ~Links();

    // Listens and dials; the port we listen on. Errors name the address or file.
    Result<std::uint16_t> start();

    // Part of this wake-up's batch for that peer; lost, and counted, if there is no link.
    void send(NodeId to, std::uint32_t group, ByteView message, Hurry hurry = Hurry::at_once);
    // Reads what has come, also what can wait: before anything is judged by what was heard. The
    // calls from inside of which letters arrive, and not to be made from inside an event.
    void look();
    void look_now_and_then();  // whenever we are awake, but not again within a few milliseconds
    // What is sent in between leaves with flush(). Without them it leaves when everything has had
    // its turn that was ready in the loop: larger batches, for another question to the kernel.
    void gather();
    void flush();

    // While it runs: another peer, or another address for one, to be dialled from now on. And a
    // peer no more: it is told why, its hello is refused, and there is no event about it after
    // this.
    [[nodiscard]] std::optional<Error> add(const Peer& peer);
    void forget(NodeId peer, const std::string& why);

    bool up(NodeId peer) const;
    Traffic traffic(NodeId peer) const;    // since the start, over all links to that peer
    std::uint64_t strangers_seen() const;  // connections that ended without an accepted hello

    // Reads the certificate files again, for all links made from now on. If there is an error, the
    // old ones stay in use.
    [[nodiscard]] std::optional<Error> reload();
    std::optional<std::chrono::sys_seconds> certificate_expires() const;  // none: plaintext

    // Says goodbye to everybody; no event after it. The loop may run for a moment until the
    // goodbyes have arrived.
    void stop();

private:
    class Switchboard;
    std::shared_ptr<Switchboard> switchboard_;
};

}  // namespace conclave::net
