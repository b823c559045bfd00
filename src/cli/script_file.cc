// cli/script_file.cc -- reads a script, runs it, says how it differs.
#include "cli/script_file.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

#include "cli/catalogue.h"
#include "sim/script.h"

namespace conclave {

namespace {

std::optional<std::string> read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (file.is_open() && !file.bad() && !text.empty()) return text;
    const bool empty = file.is_open() && !file.bad() && errno == 0;
    complain("cannot read " + path + ": " + (empty ? "it is empty" : std::strerror(errno)));
    return std::nullopt;
}

boost::json::object as_json(const ScriptResult& result, const std::string& path) {
    boost::json::array errors, differences;
    for (const auto& one : result.errors) {
        errors.push_back(boost::json::object{{"line", one.line}, {"what", one.what}});
    }
    for (const auto& one : result.differences) {
        differences.push_back(boost::json::object{
            {"line", one.line},
            {"command", one.command},
            {"expected", boost::json::array(one.expected.begin(), one.expected.end())},
            {"actual", boost::json::array(one.actual.begin(), one.actual.end())}});
    }
    return {{"script", path},
            {"commands", result.commands},
            {"violations", result.violations},
            {"ok", result.ok()},
            {"errors", std::move(errors)},
            {"differences", std::move(differences)}};
}

}  // namespace

Exit run_script_file(const Terminal& terminal, const std::string& path, Script how) {
    errno = 0;
    const auto text = read_file(path);
    if (!text) return Exit::no_input;
    const ScriptResult result = run_script(*text, find_simulator);
    if (how == Script::rewrite && result.errors.empty()) {
        if (result.text == *text) return Exit::ok;
        return write_file(path, result.text) ? Exit::ok : Exit::cannot_create;
    }
    if (terminal.format != Format::text) {
        std::puts(boost::json::serialize(as_json(result, path)).c_str());
    } else if (!result.ok()) {
        std::fputs(explain(result, path).c_str(), stderr);
    } else if (!terminal.quiet) {
        std::printf("%s: %zu commands, %s\n", path.c_str(), result.commands,
                    terminal.good("all as expected").c_str());
    }
    const bool violated = how == Script::judge && result.violations > 0;
    if (violated) complain(path + ": a property is violated in it");
    return result.ok() && !violated ? Exit::ok : Exit::violated;
}

}  // namespace conclave
