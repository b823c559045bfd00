// net/certificates.h -- a development CA, and certificates for nodes and operators.
//
// A node's certificate is for both ends of a link (serverAuth and clientAuth), because which end
// dials is decided by the ids. An operator's is for clientAuth only. Whoever accepts a node must
// therefore ask for the *server* purpose on both ends: asked for the client purpose alone, an
// operator who was named like a node would pass for it.
// Keys are EC P-256 and never encrypted: a daemon has nobody to type a passphrase. The CA's path
// length is 0: a stolen node's key can sign nothing that anybody believes.
#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace conclave::net {

struct Pem {
    std::string certificate, key;
};

struct Validity {
    std::chrono::sys_seconds from, until;
};

// From a little before `now`, so that a peer whose clock is behind accepts it at once.
Validity lasting(std::chrono::days length, std::chrono::sys_seconds now);
Validity lasting(std::chrono::days length);  // from the wall clock's now

// Whole days, rounded down: 0 on the last day, negative once it is over.
std::chrono::days days_left(const Validity& validity, std::chrono::sys_seconds now);

enum class Usage { node, client };

struct CertificateRequest {
    std::string name;  // of the node or operator: the subject, and a node's first SAN
    std::vector<std::string> hosts{};  // a node's other SANs: DNS names and IP addresses
    Validity validity{};
    Usage usage = Usage::node;
};

Result<Pem> make_ca(std::string_view name, const Validity& validity);

// Ends no later than the CA does: a certificate that outlives its CA only looks valid.
Result<Pem> issue(const Pem& ca, const CertificateRequest& request);

// Everything is printable, whatever the certificate says: bytes that are not become '?'.
struct Description {
    std::string subject, issuer;  // RFC 2253: CN=n1
    std::string name;             // the subject's common name; empty if it has none
    std::vector<std::string> hosts;
    bool authority = false;  // may sign others
    bool server = false;     // good for the end that is dialled,
    bool client = false;     // and for the end that dials
    Validity validity;
    std::string serial;       // hexadecimal
    std::string fingerprint;  // SHA-256 of the certificate, as AB:CD:...
};

Result<Description> describe(std::string_view pem);                   // the first certificate
Result<std::vector<Description>> describe_all(std::string_view pem);  // a bundle; at least one

}  // namespace conclave::net
