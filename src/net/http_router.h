// net/http_router.h -- which handler serves which method and path.
//
// A pattern is a method and a path whose segments are words or {names}: "GET /v1/groups/{group}".
// The first that matches in order of adding serves. HEAD is served by the handler of GET, OPTIONS
// and 405 are answered from the table.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_exchange.h"

namespace conclave::net {

class Router {
public:
    // `name` is the route's label in metrics; a pattern that is none is a bug.
    void add(std::string_view pattern, std::string name, Handler handler);

    void serve(const std::shared_ptr<Exchange>& exchange) const;

private:
    struct Route {
        std::string method;
        std::vector<std::string> segments;
        std::string name;
        Handler handler;

        std::optional<Words> match(const std::vector<std::string>& path) const;
    };

    std::string allowed(const Request& request) const;  // empty: nothing is at that path

    std::vector<Route> routes_;
};

}  // namespace conclave::net
