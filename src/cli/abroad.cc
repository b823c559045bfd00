#include "cli/abroad.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <variant>

#include "cli/way.h"
#include "client/caller.h"
#include "engine/native.h"
#include "engine/open.h"
#include "node/time_text.h"

namespace conclave {

namespace json = boost::json;
using engine::Found;
using engine::Standing;

namespace {

using Opened = std::variant<std::unique_ptr<engine::Engine>, Exit>;

Opened open_abroad(boost::asio::io_context& loop, const Endpoint& endpoint) {
    const auto usage = [](const std::string& what) {
        complain(what);
        return Exit::usage;
    };
    auto place = engine::read_place(endpoints_of(endpoint));
    if (!place) return usage("--endpoint: " + place.error().what);
    std::optional<Duration> timeout;
    if (!read_option("--timeout", endpoint.timeout, timeout)) return Exit::usage;
    place->timeout = timeout.value_or(place->timeout);
    place->tls = endpoint.shown.tls;
    const char *user = std::getenv("CONCLAVE_USER"), *password = std::getenv("CONCLAVE_PASSWORD");
    if (place->user.empty() && user) place->user = user;
    if (place->password.empty() && password) place->password = password;
    auto opened = engine::open(loop, *place);
    if (opened) return std::move(*opened);
    complain(opened.error().what);
    return Exit::refused;
}

Duration timeout_of(const Endpoint& endpoint) {
    return read_duration(endpoint.timeout).value_or(std::chrono::seconds(5));
}

Exit report(const net::Failure& failure) {
    complain(failure.what);
    return exit_of(failure.trouble);
}

json::value leader_of(const Standing& standing) {
    json::object view{{"group", standing.thing.name}, {"leader", nullptr}, {"epoch", nullptr}};
    if (!standing.holders.empty()) {
        view["leader"] = standing.holders.front().name;
        view["epoch"] = standing.holders.front().token.epoch.value;
    }
    view["waiting"] = standing.waiting.size();
    return view;
}

std::string name_in(const json::value& view) { return text_member(view, "leader"); }

Exit show_leader(const Terminal& terminal, const LeaderOptions& options, const json::value& view) {
    const std::string leader = name_in(view);
    if (!options.is.empty()) {
        if (leader.empty()) return Exit::unreachable;
        return leader == options.is ? Exit::ok : Exit::no;
    }
    if (terminal.format != Format::text) {
        std::printf("%s\n", json::serialize(view).c_str());
    } else if (!leader.empty()) {
        std::printf("%s\n", leader.c_str());
    }
    if (!leader.empty()) return Exit::ok;
    complain("group " + options.group + " has no leader");
    return Exit::not_yet;
}

}  // namespace

bool is_abroad(const Endpoint& endpoint) { return engine::is_place(endpoints_of(endpoint)); }

Exit run_under(const Endpoint& endpoint, HoldPlan plan) {
    plan.claim.holder =
        client::name_of_us(plan.command.empty() ? "conclave" : plan.command.front());
    plan.contact = timeout_of(endpoint);
    if (is_abroad(endpoint)) {
        plan.idle = plan.busy;
        plan.exit_of = [](const net::Failure& failure) { return exit_of(failure.trouble); };
        plan.hopeless = [](const net::Failure& failure) {
            return failure.trouble == net::Trouble::refused;
        };
        Holder holder(std::move(plan));
        auto opened = open_abroad(holder.loop(), endpoint);
        if (const auto* exit = std::get_if<Exit>(&opened)) return *exit;
        return static_cast<Exit>(holder.run(*std::get<0>(opened)));
    }
    auto found = find_way(endpoint);
    if (const auto* exit = std::get_if<Exit>(&found)) return *exit;
    const Way& way = std::get<Way>(found);
    const bool alone = way.options.endpoints.size() == 1;
    plan.exit_of = [](const net::Failure& failure) {
        return failure.trouble == net::Trouble::refused ? Exit::refused : Exit::unreachable;
    };
    plan.hopeless = [alone](const net::Failure& failure) {
        return alone && failure.trouble == net::Trouble::refused;
    };
    Holder holder(std::move(plan));
    const auto native = engine::native(holder.loop(), {way.options, way.timeout});
    return static_cast<Exit>(holder.run(*native));
}

Exit leader_abroad(const Terminal& terminal, const Endpoint& endpoint,
                   const LeaderOptions& options) {
    std::optional<Duration> wait;
    if (!read_option("--wait", options.wait, wait)) return Exit::usage;
    boost::asio::io_context loop(1);
    auto opened = open_abroad(loop, endpoint);
    if (const auto* exit = std::get_if<Exit>(&opened)) return *exit;
    Exit end = Exit::not_yet;
    json::value view;
    const auto begun = std::chrono::steady_clock::now();
    boost::asio::steady_timer limit(loop, wait.value_or(Duration{}) + timeout_of(endpoint));
    const auto done = [&](Exit exit) {
        end = exit;
        loop.stop();
    };
    limit.async_wait([&](const auto& error) {
        if (!error) done(view.is_null() ? Exit::unreachable : Exit::ok);
    });
    const auto watch = std::get<0>(opened)->watch(
        {engine::Thing::Kind::leadership, options.group}, [&](const Found<Standing>& found) {
            if (const auto* failure = std::get_if<net::Failure>(&found))
                return done(report(*failure));
            view = leader_of(std::get<Standing>(found));
            if (!name_in(view).empty() || !wait) return done(Exit::ok);
            limit.expires_at(begun + *wait);
            limit.async_wait([&](const auto& error) {
                if (!error) done(Exit::ok);
            });
        });
    loop.run();
    return end == Exit::ok ? show_leader(terminal, options, view) : end;
}

Exit watch_abroad(const Terminal& terminal, const Endpoint& endpoint, const WatchOptions& options) {
    if (options.group.empty() || !options.since.empty()) {
        complain("at an engine, watch needs a GROUP and has no --since");
        return Exit::usage;
    }
    boost::asio::io_context loop(1);
    auto opened = open_abroad(loop, endpoint);
    if (const auto* exit = std::get_if<Exit>(&opened)) return *exit;
    Exit end = Exit::ok;
    std::optional<json::value> last;  // as it was shown
    int failures = 0;
    const auto watch = std::get<0>(opened)->watch(
        {engine::Thing::Kind::leadership, options.group}, [&](const Found<Standing>& found) {
            if (const auto* failure = std::get_if<net::Failure>(&found)) {
                // Servers that restart are back within a few tries.
                if (++failures < 3) return;
                end = report(*failure);
                return loop.stop();
            }
            failures = 0;
            json::value view = leader_of(std::get<Standing>(found));
            view.get_object().erase("waiting");
            if (last == view) return;
            last = view;
            view.get_object()["at"] = node::time_text(std::chrono::system_clock::now());
            show_change(terminal, view, options.command);
        });
    loop.run();
    return end;
}

Exit locks_abroad(const Terminal& terminal, const Endpoint& endpoint) {
    boost::asio::io_context loop(1);
    auto opened = open_abroad(loop, endpoint);
    if (const auto* exit = std::get_if<Exit>(&opened)) return *exit;
    Found<std::vector<Standing>> found;
    std::get<0>(opened)->list(engine::Thing::Kind::lock, timeout_of(endpoint),
                              [&](Found<std::vector<Standing>> told) {
                                  found = std::move(told);
                                  loop.stop();
                              });
    loop.run();
    if (const auto* failure = std::get_if<net::Failure>(&found)) return report(*failure);
    std::vector<std::vector<std::string>> rows{{"lock", "token", "holder", "waiting"}};
    json::array views;
    for (const Standing& standing : std::get<0>(found)) {
        for (const engine::Holder& holder : standing.holders) {
            const FencingToken token{holder.token.epoch.value, holder.token.number};
            rows.push_back({standing.thing.name, to_string(token), holder.name,
                            std::to_string(standing.waiting.size())});
            views.push_back({{"lock", standing.thing.name},
                             {"token", to_string(token)},
                             {"holder", holder.name},
                             {"waiting", standing.waiting.size()}});
        }
    }
    const std::string out =
        terminal.format == Format::text ? table(terminal, rows) : json::serialize(views) + "\n";
    std::fputs(out.c_str(), stdout);
    return Exit::ok;
}

}  // namespace conclave
