// client/credentials.h -- what a client shows of itself and whom it believes, as people write it.
#pragma once
#include <memory>
#include <string>

#include "core/result.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace conclave::client {

struct Credentials {
    net::TlsFiles tls{};  // for https://; without an authority those that this machine believes
    std::string token_file{};  // for who has no certificate; empty: shows none
};

// Makes `way`, whose endpoints are known, show them. What it returns must outlive whoever uses
// `way`; null: there is no https.
[[nodiscard]] Result<std::unique_ptr<net::Tls>> present(const Credentials& credentials,
                                                        net::ClientOptions& way);

}  // namespace conclave::client
