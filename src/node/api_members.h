// node/api_members.h -- the members over HTTP: somebody joins the cluster, somebody leaves it.
#pragma once
#include <memory>

#include "net/http_router.h"
#include "node/gate.h"
#include "node/node.h"

namespace conclave::node {

class MembersApi {
public:
    explicit MembersApi(Node& node) : node_(node) {}

    void add_to(net::Router& router, const Gate& gate);

private:
    using Exchange = std::shared_ptr<net::Exchange>;

    void show(const Exchange& exchange);
    void admit(const Exchange& exchange);
    void remove(const Exchange& exchange);
    void change(const Exchange& exchange, MemberChange::Wish wish);

    Node& node_;
};

}  // namespace conclave::node
