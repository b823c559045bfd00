#include "node/api_members.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <limits>
#include <string>
#include <utility>

#include "core/names.h"
#include "core/print.h"
#include "node/api_body.h"
#include "node/api_views.h"
#include "node/config_rules.h"

namespace conclave::node {

namespace json = boost::json;

namespace {

using Exchange = std::shared_ptr<net::Exchange>;

// For a node that starts at the same time.
constexpr std::string_view usual_wait = "10s";

std::optional<conclave::Role> role_of(const std::string& text) {
    for (const auto role :
         {conclave::Role::voter, conclave::Role::witness, conclave::Role::learner}) {
        if (name_of_value(role) == text) return role;
    }
    return std::nullopt;
}

// Why there cannot be such a member; nothing: there can.
std::optional<std::string> unfit(const Node& node, const MemberChange::Wish& wish) {
    if (wish.name.empty()) return "a member has a name";
    if (auto wrong = wrong_name(wish.name)) return wrong;
    const auto address = net::parse_address(wish.address);
    if (!address) return "address: " + address.error().what;
    if (!std::holds_alternative<net::HostPort>(*address)) return "the address must be HOST:PORT";
    if (auto wrong = wrong_place(*address)) return wrong;
    if (!node.config().peer.tls.given() && !net::is_loopback(*address))
        return wish.address + " is not loopback: links to it need TLS";
    return std::nullopt;
}

// Of whom else it has the id or the name; nothing: of nobody.
std::optional<std::string> taken(const Node& node, const MemberChange::Wish& wish) {
    const Card* const card = node.cards().find(wish.node);
    const std::string now = card ? card->name : node.name_of(wish.node);
    if (now != to_text(wish.node) && now != wish.name)
        return "id " + to_text(wish.node) + " is that of " + now;
    const auto other = node.find(wish.name);
    if (other && *other != wish.node)
        return wish.name + " has the id " + to_text(*other) + ", for life";
    return std::nullopt;
}

json::array names(const std::vector<std::string>& list) {
    json::array all;
    for (const std::string& name : list) all.emplace_back(name);
    return all;
}

}  // namespace

void MembersApi::add_to(net::Router& router, const Gate& gate) {
    const auto bound = [this](auto method) {
        return [this, method](const Exchange& one) { (this->*method)(one); };
    };
    router.add("GET /v1/members", "members",
               [this](const Exchange& one) { respond(one, members_view(node_)); });
    router.add("GET /v1/members/{member}", "member", bound(&MembersApi::show));
    router.add("POST /v1/members", "add-member", gate.deed(bound(&MembersApi::admit)));
    router.add("DELETE /v1/members/{member}", "remove-member",
               gate.deed(bound(&MembersApi::remove)));
}

void MembersApi::show(const Exchange& exchange) {
    const std::string& name = exchange->request().parameters.find("member")->second;
    const auto id = node_.find(name);
    if (!id) return exchange->problem(404, "No such node", "nobody here is called '" + name + "'");
    respond(exchange, member_view(node_, *id));
}

void MembersApi::admit(const Exchange& exchange) {
    const std::uint64_t id = number_field(exchange, "id").value_or(0);
    if (id == 0 || id > std::numeric_limits<std::uint32_t>::max())
        return exchange->problem(400, "Bad member", "a member has an id, a whole number from 1");
    MemberChange::Wish wish;
    wish.node = NodeId{static_cast<std::uint32_t>(id)};
    wish.name = field(exchange, "name").value_or("");
    wish.address = field(exchange, "address").value_or("");
    const std::string role = field(exchange, "role").value_or("voter");
    wish.role = role_of(role);
    if (!wish.role)
        return exchange->problem(400, "Bad role", "a role is voter, witness or learner");
    if (const auto why = unfit(node_, wish)) return exchange->problem(400, "Bad member", *why);
    if (const auto why = taken(node_, wish)) return exchange->problem(409, "Taken", *why);
    change(exchange, std::move(wish));
}

void MembersApi::remove(const Exchange& exchange) {
    const std::string& name = exchange->request().parameters.find("member")->second;
    const auto id = node_.find(name);
    if (!id) return exchange->problem(404, "No such node", "nobody here is called '" + name + "'");
    const auto peer = node_.peer(*id);
    MemberChange::Wish wish;
    wish.node = *id;
    wish.name = name;
    wish.address = peer ? peer->address : node_.own_address();
    change(exchange, std::move(wish));
}

void MembersApi::change(const Exchange& exchange, MemberChange::Wish wish) {
    const auto wait = duration(field(exchange, "wait").value_or(std::string(usual_wait)));
    if (!wait) return exchange->problem(400, "Bad wait", "wait is a duration, like \"30s\"");
    wish.patience = std::min(*wait, longest_poll);
    const std::string name = wish.name, id = to_text(wish.node);
    node_.change_members(wish, [exchange, name, id](const MemberChange::End& end) {
        using How = MemberChange::End::How;
        if (end.how == How::refused) return exchange->problem(409, "Refused", end.why);
        if (end.how == How::out_of_time)
            return exchange->problem(503, "Not done yet", end.why + "; ask again to go on");
        respond(exchange, json::object{{"node", name},
                                       {"id", id},
                                       {"groups", names(end.groups)},
                                       {"unchanged", names(end.others)}});
    });
}

}  // namespace conclave::node
