// node/api_sessions.h -- sessions over HTTP: open, renew, end, campaign, resign.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "net/http_router.h"
#include "node/api_locks.h"
#include "node/gate.h"
#include "node/node.h"

namespace conclave::node {

class SessionsApi {
public:
    SessionsApi(Node& node, LocksApi& locks) : node_(node), locks_(locks) {}

    void add_to(net::Router& router, const Gate& gate);

    using Exchange = std::shared_ptr<net::Exchange>;
    void resign(const Exchange& exchange, const std::string& session, HostedGroup& group);

private:
    void open(const Exchange& exchange);
    void renew(const Exchange& exchange);
    void end(const Exchange& exchange);
    void campaign(const Exchange& exchange);

    Node& node_;
    LocksApi& locks_;
};

}  // namespace conclave::node
