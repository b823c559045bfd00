#include "net/http_router.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

#include "net/http_target.h"

namespace conclave::net {
namespace {

bool is_name(std::string_view segment) {
    return segment.starts_with('{') && segment.ends_with('}');
}

std::string_view served_as(const Request& request) {
    return request.method == "HEAD" ? "GET" : std::string_view(request.method);
}

}  // namespace

void Router::add(std::string_view pattern, std::string name, Handler handler) {
    std::size_t space = pattern.find(' ');
    assert(space != pattern.npos);
    std::optional<Target> target = parse_target(pattern.substr(space + 1));
    assert(target);
    assert(target->query.empty());
    routes_.push_back({std::string(pattern.substr(0, space)), std::move(target->path),
                       std::move(name), std::move(handler)});
}

std::optional<Words> Router::Route::match(const std::vector<std::string>& path) const {
    if (path.size() != segments.size()) return std::nullopt;
    Words parameters;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::string& segment = segments[i];
        if (is_name(segment))
            parameters.emplace(segment.substr(1, segment.size() - 2), path[i]);
        else if (segment != path[i])
            return std::nullopt;
    }
    return parameters;
}

std::string Router::allowed(const Request& request) const {
    bool everything = request.target == "*";
    std::set<std::string> methods;
    for (const Route& route : routes_)
        if (everything || route.match(request.path)) methods.insert(route.method);
    if (methods.empty()) return {};
    if (methods.contains("GET")) methods.insert("HEAD");
    methods.insert("OPTIONS");
    std::string list;
    for (const std::string& method : methods) list += (list.empty() ? "" : ", ") + method;
    return list;
}

void Router::serve(const std::shared_ptr<Exchange>& exchange) const {
    const Request& request = exchange->request();
    for (const Route& route : routes_) {
        if (route.method != served_as(request)) continue;
        std::optional<Words> parameters = route.match(request.path);
        if (!parameters || request.target == "*") continue;
        exchange->routed(route.name, *std::move(parameters));
        return route.handler(exchange);
    }
    std::string methods = allowed(request);
    if (methods.empty())
        return exchange->problem(404, "Not found", "there is nothing at " + request.target);
    exchange->header("Allow", methods);
    if (request.method == "OPTIONS") return exchange->respond(204, "", "");
    exchange->problem(405, "Method not allowed",
                      request.method + " is not for " + request.target + ", but " + methods);
}

}  // namespace conclave::net
