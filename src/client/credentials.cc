#include "client/credentials.h"

#include <algorithm>
#include <utility>

#include "net/token.h"

namespace conclave::client {

Result<std::unique_ptr<net::Tls>> present(const Credentials& credentials, net::ClientOptions& way) {
    if (!credentials.token_file.empty()) {
        auto token = net::read_token(credentials.token_file);
        if (!token) return token.error();
        way.token = std::move(*token);
    }
    const net::TlsFiles& files = credentials.tls;
    const bool secure = std::ranges::any_of(way.endpoints, &net::HttpEndpoint::secure);
    // Files that nobody will read are looked at all the same: a wrong name is a wrong wish.
    if (!secure && files.ca.empty() && files.cert.empty() && files.key.empty())
        return std::unique_ptr<net::Tls>();
    auto tls = net::Tls::visit(files);
    if (!tls) return tls.error();
    auto kept = std::make_unique<net::Tls>(std::move(*tls));
    way.tls = &kept->context();
    return kept;
}

}  // namespace conclave::client
