// node/api_locks.h -- locks over HTTP: acquire and release for a session, who holds and waits, and
// the administrator's way to take one away.
#pragma once
#include <boost/json/array.hpp>
#include <memory>
#include <string>

#include "net/http_router.h"
#include "node/gate.h"
#include "node/node.h"

namespace conclave::node {

class LocksApi {
public:
    explicit LocksApi(Node& node) : node_(node) {}

    void add_to(net::Router& router, const Gate& gate);

    boost::json::array held_by(const std::string& session);  // as a renewal tells

private:
    using Exchange = std::shared_ptr<net::Exchange>;

    void list(const Exchange& exchange);
    void acquire(const Exchange& exchange);
    void release(const Exchange& exchange);
    void dismiss(const Exchange& exchange);
    bool served(const Exchange& exchange);  // answers 404 if not
    void tell(const Exchange& exchange, const SessionLocks::Wish& wish,
              const SessionLocks::Verdict& verdict);

    Node& node_;
};

}  // namespace conclave::node
