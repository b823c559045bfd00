// node/gate.h -- who may change something through the API, and what its ports are served with.
//
// Whoever reaches the API may look. To change something one comes by the local socket, which has
// file permissions, shows a certificate of the authority of [api] tls, or knows the token.
#pragma once
#include <boost/asio/ssl/context.hpp>
#include <optional>
#include <string>

#include "core/result.h"
#include "net/http_exchange.h"
#include "net/tls.h"
#include "node/config.h"

namespace conclave::node {

class Gate {
public:
    explicit Gate(const Api& settings);

    // At the start, and whenever the files may be new. If one is wrong all stays as it was.
    [[nodiscard]] std::optional<Error> load();

    boost::asio::ssl::context* tls();  // of the ports; null: they speak plaintext

    // The same for those who may, with JSON only; others are refused. It must not outlive the gate.
    net::Handler deed(net::Handler handler) const;

private:
    bool admits(const net::Request& request) const;
    void refuse(net::Exchange& exchange) const;

    const Api settings_;
    const std::string ways_in_;  // in words, for whoever is refused
    std::optional<net::Tls> tls_;
    std::string token_;  // empty: there is none
};

}  // namespace conclave::node
