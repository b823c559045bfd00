// net/tls.h -- who we are and whom we believe: certificate, key and authority of one node.
//
// TLS 1.3 only, and mutual: both ends show a certificate of the same authority, made for server and
// client use. Which *node* a certificate is for is said by its DNS names (SAN); the common name and
// wildcards count for nothing. Sessions are never resumed: a link lives for days, and a resumed one
// would carry on with a certificate that has been replaced since.
#pragma once
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "net/peer.h"

namespace conclave::net {

struct Certificate {
    std::vector<std::string> names;  // DNS names, as they stand in it
    std::chrono::sys_seconds expires;

    bool is_for(std::string_view name) const;
};

class Tls {
public:
    // Whose certificates are taken: those of nodes, or also those that are made for clients only.
    enum class Takes : std::uint8_t { nodes, operators };
    // Errors name the file and what is wrong with it.
    static Result<Tls> load(const TlsFiles& files, Takes takes = Takes::nodes);
    // For a guest of somebody else's servers: without a certificate of its own, if need be, which
    // names nobody then; without an authority those that this machine believes.
    static Result<Tls> visit(const TlsFiles& files);

    boost::asio::ssl::context& context() { return context_; }
    const Certificate& own() const { return own_; }

private:
    Tls(boost::asio::ssl::context context, Certificate own);

    boost::asio::ssl::context context_;
    Certificate own_;
};

// Of the peer at the other end, once the handshake is done; the handshake has verified it.
Certificate peer_certificate(SSL* connection);

}  // namespace conclave::net
