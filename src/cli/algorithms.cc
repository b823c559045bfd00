// cli/algorithms.cc -- what each algorithm assumes, guarantees, costs.
#include "cli/algorithms.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/catalogue.h"
#include "core/value.h"
#include "mutex/coterie.h"
#include "sim/plan_text.h"

namespace conclave {

namespace {

std::string assumptions(const Model& model) {
    return to_text(model.links) + ", " + to_text(model.timing) + ", " + to_text(model.faults);
}

boost::json::array list(const std::vector<std::string>& words) {
    return boost::json::array(words.begin(), words.end());
}

boost::json::object as_json(const Description& one) {
    boost::json::array fixes;
    for (const Fix& fix : one.fixes) {
        fixes.push_back(boost::json::object{{"name", fix.name}, {"what", fix.what}});
    }
    boost::json::object options;
    for (const Option& option : one.options) options[option.name] = option.value;
    return {
        {"name", one.name},
        {"kind", to_text(one.claim.kind)},
        {"assumes", boost::json::object{{"links", to_text(one.assumes.links)},
                                        {"timing", to_text(one.assumes.timing)},
                                        {"faults", to_text(one.assumes.faults)}}},
        {"source", one.claim.source},
        {"ensures", one.claim.ensures},
        {"breaks", one.claim.breaks},
        {"cost", boost::json::object{{"messages", one.claim.messages}, {"time", one.claim.time}}},
        {"messages", list(one.messages)},
        {"timers", list(one.timers)},
        {"requests", list(one.requests)},
        {"notices", list(one.notices)},
        {"properties", list(one.properties)},
        {"fixes", std::move(fixes)},
        {"options", std::move(options)},
    };
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none" : text;
}

void print_one(const Terminal& terminal, const Description& one) {
    const auto line = [&](std::string_view head, const std::string& what) {
        std::printf("%s  %s\n", terminal.bold(head).c_str(), what.c_str());
    };
    std::printf("%s\n", terminal.bold(one.name).c_str());
    line("source    ", std::string(one.claim.source));
    line("assumes   ", assumptions(one.assumes));
    line("ensures   ", std::string(one.claim.ensures));
    line("breaks    ", std::string(one.claim.breaks));
    line("messages  ", std::string(one.claim.messages));
    line("time      ", std::string(one.claim.time));
    line("sends     ", joined(one.messages));
    line("timers    ", joined(one.timers));
    line("requests  ", joined(one.requests));
    line("tells     ", joined(one.notices));
    line("properties", joined(one.properties));
    for (const Fix& fix : one.fixes) {
        line("fix       ", std::string(fix.name) + ": " + std::string(fix.what));
    }
    for (const Option& option : one.options) line("option    ", option.name + "=" + option.value);
}

// The voting sets that a group of this size would vote with, where the algorithm has any.
std::optional<Coterie> coterie_of(const Description& one, std::uint32_t nodes) {
    if (!one.name.starts_with("maekawa")) return std::nullopt;
    return make_coterie(Sets::smallest, nodes);
}

boost::json::object sets_json(const Coterie& coterie) {
    const Burden burden = burden_of(coterie);
    boost::json::array sets;
    for (std::uint32_t place = 0; place < coterie.nodes; ++place) {
        boost::json::array set;
        for (std::uint32_t member : coterie.set_of(place)) set.push_back(member + 1);
        sets.push_back(std::move(set));
    }
    return {{"kind", to_text(coterie.kind)},
            {"effort", boost::json::array{burden.effort_least, burden.effort_most}},
            {"responsibility",
             boost::json::array{burden.responsibility_least, burden.responsibility_most}},
            {"fair", burden.fair()},
            {"sets", std::move(sets)}};
}

std::string span_text(std::uint32_t least, std::uint32_t most) {
    return std::to_string(least) + (least == most ? "" : ".." + std::to_string(most));
}

void print_sets(const Terminal& terminal, const Coterie& coterie) {
    const Burden burden = burden_of(coterie);
    std::printf("%s  %s for %u nodes: K = %s votes to enter, each node votes in M = %s sets, %s\n",
                terminal.bold("sets      ").c_str(), to_text(coterie.kind).c_str(), coterie.nodes,
                span_text(burden.effort_least, burden.effort_most).c_str(),
                span_text(burden.responsibility_least, burden.responsibility_most).c_str(),
                burden.fair() ? "equal for all" : "not equal for all");
    for (std::uint32_t place = 0; place < coterie.nodes; ++place) {
        std::string line;
        for (std::uint32_t member : coterie.set_of(place)) line += " " + std::to_string(member + 1);
        std::printf("%s  V%u ={%s }\n", terminal.bold("          ").c_str(), place + 1,
                    line.c_str());
    }
}

}  // namespace

Exit run_algorithms(const Terminal& terminal, const AlgorithmsOptions& options) {
    const std::string& name = options.name;
    if (options.nodes == 0 || options.nodes > 10'000) {
        complain("--nodes must be 1 to 10000, not " + std::to_string(options.nodes));
        return Exit::usage;
    }
    Settings settings = default_plan(options.nodes).settings;
    settings.nodes = options.nodes;
    std::vector<Description> chosen;
    for (const std::string& each : algorithm_names()) {
        if (name.empty() || each == name) {
            chosen.push_back(find_simulator(each)->describe(settings));
        }
    }
    if (chosen.empty()) {
        complain(unknown_algorithm(name));
        return Exit::usage;
    }
    if (terminal.format != Format::text) {
        boost::json::array all;
        for (const Description& one : chosen) {
            all.push_back(as_json(one));
            const auto coterie = coterie_of(one, options.nodes);
            if (coterie) all.back().as_object()["voting_sets"] = sets_json(*coterie);
        }
        const bool single = !name.empty();
        std::puts((single ? boost::json::serialize(all[0]) : boost::json::serialize(all)).c_str());
    } else if (!name.empty()) {
        print_one(terminal, chosen.front());
        if (const auto coterie = coterie_of(chosen.front(), options.nodes)) {
            print_sets(terminal, *coterie);
        }
    } else {
        std::vector<std::vector<std::string>> rows{
            {"algorithm", "assumes", "messages", "time", "ensures"}};
        for (const Description& one : chosen) {
            rows.push_back({one.name, assumptions(one.assumes), std::string(one.claim.messages),
                            std::string(one.claim.time), std::string(one.claim.ensures)});
        }
        std::fputs(table(terminal, rows).c_str(), stdout);
    }
    return Exit::ok;
}

}  // namespace conclave
