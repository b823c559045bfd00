// cli/algorithms.cc -- what each algorithm assumes, guarantees, costs.
#include "cli/algorithms.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "cli/catalogue.h"
#include "core/value.h"
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

}  // namespace

Exit run_algorithms(const Terminal& terminal, const std::string& name) {
    const Settings settings = default_plan(5).settings;
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
        for (const Description& one : chosen) all.push_back(as_json(one));
        const bool single = !name.empty();
        std::puts((single ? boost::json::serialize(all[0]) : boost::json::serialize(all)).c_str());
    } else if (!name.empty()) {
        print_one(terminal, chosen.front());
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
