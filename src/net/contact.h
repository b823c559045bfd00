// net/contact.h -- how things stand with one peer.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <utility>

#include "core/types.h"
#include "net/address.h"
#include "net/link.h"
#include "net/peer.h"

namespace conclave::net {

struct Contact {
    Contact(boost::asio::io_context& loop, Peer who, HostPort where)
        : peer(std::move(who)), place(std::move(where)), retry(loop) {}

    Peer peer;
    HostPort place;
    std::shared_ptr<Link> link;     // up
    std::shared_ptr<Link> dialing;  // not up yet
    boost::asio::steady_timer retry;
    Duration pause{};       // the last one between two tries
    std::size_t tries = 0;  // counts through the addresses of its name
    std::string complaint;  // the last one that was logged
    std::string store;      // of the last hello that was accepted, as is
    Incarnation incarnation;
    Traffic past;       // of links that are no more
    bool known = true;  // false: it was a peer once
};

}  // namespace conclave::net
