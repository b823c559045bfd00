// node/api_mutex.h -- the classic mutual exclusions over HTTP: enter and leave, in a session.
#pragma once
#include <memory>

#include "net/http_router.h"
#include "node/gate.h"
#include "node/node.h"

namespace conclave::node {

class MutexApi {
public:
    explicit MutexApi(Node& node) : node_(node) {}

    void add_to(net::Router& router, const Gate& gate);

private:
    using Exchange = std::shared_ptr<net::Exchange>;
    HostedGroup* group_of(const Exchange& exchange);  // answers 404 if there is none
    void list(const Exchange& exchange);
    void show(const Exchange& exchange);
    void enter(const Exchange& exchange);
    void leave(const Exchange& exchange);

    Node& node_;
};

}  // namespace conclave::node
