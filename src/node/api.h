// node/api.h -- the node over HTTP: what it knows, and what it may be asked to do.
//
// Who may change something is the gate's affair (gate.h). Long polls and streams hold their
// exchange until there is news or the client has gone.
#pragma once
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "net/http_router.h"
#include "node/api_locks.h"
#include "node/api_members.h"
#include "node/api_mutex.h"
#include "node/api_sessions.h"
#include "node/gate.h"
#include "node/guests.h"
#include "node/node.h"

namespace conclave::node {

class HttpApi {
public:
    HttpApi(boost::asio::io_context& loop, Node& node, Metrics& metrics, const Gate& gate);

    const net::Router& router() const { return router_; }

private:
    using Exchange = std::shared_ptr<net::Exchange>;

    // Handlers are methods; those of `deeds` are behind the gate.
    using Method = void (HttpApi::*)(const Exchange&);
    void add(std::string_view pattern, const char* name, Method method);
    void add_deed(std::string_view pattern, const char* name, Method method);

    void add_health();
    void add_views();
    void add_deeds();

    void check_leader(const Exchange& exchange);
    void show_sidecar(const Exchange& exchange);
    void show_group(const Exchange& exchange);
    void show_history(const Exchange& exchange);
    void stream_changes(const Exchange& exchange);
    void admit_guest(const Exchange& exchange);
    void resign(const Exchange& exchange);
    void appoint(const Exchange& exchange);
    HostedGroup* group_of(const Exchange& exchange);  // answers 404 if there is none
    void drain(const Exchange& exchange);
    void undrain(const Exchange& exchange);
    void hand_over(const Exchange& exchange, HostedGroup& group, const Resign& wish);
    void answer(const Exchange& exchange, HostedGroup& group, const HostedGroup::Answer& given);

    boost::asio::io_context& loop_;
    Node& node_;
    Metrics& metrics_;
    const Gate& gate_;
    Guests guests_;
    LocksApi locks_;
    SessionsApi sessions_;
    MutexApi mutexes_;
    MembersApi members_;
    net::Router router_;
};

}  // namespace conclave::node
