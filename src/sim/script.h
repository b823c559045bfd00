// sim/script.h -- scripts: commands, and what they are expected to do, in one file.
//
//     # The highest of three announces at once.
//     world bully nodes=3
//     ----
//     1 sends Election(1, 1) to 2 3; arms NoAnswer 2
//     ...
//
//     deliver 1>2
//     deliver 1>3
//     ----
//     2 sends ...
//
// A block is one or more commands (sim/command.h), a line of dashes and what they are expected to
// print, up to a blank line. `world` starts a new world (sim/plan_text.h); a file may have several.
// After each command every property that must always hold is judged; `violated: ...` is printed
// when it begins to be broken. A command that cannot be obeyed prints `error: ...`.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.h"

namespace conclave {

// The simulator of an algorithm, or null.
using FindSimulator = std::function<std::unique_ptr<Simulator>(std::string_view algorithm)>;

struct ScriptResult {
    struct Difference {
        std::size_t line = 0;  // of the block's first command
        std::string command;
        std::vector<std::string> expected, actual;
    };
    struct Error {  // not expected by the script
        std::size_t line = 0;
        std::string what;
    };
    bool ok() const { return differences.empty() && errors.empty(); }

    std::size_t commands = 0;
    std::size_t violations = 0;  // properties seen broken, whether expected or not
    std::vector<Difference> differences{};
    std::vector<Error> errors{};
    std::string text{};  // the script, expecting what has happened
};

ScriptResult run_script(std::string_view text, const FindSimulator& find);

// For people: errors and the first few differences as FILE:LINE and a small diff. Empty if all is
// well.
std::string explain(const ScriptResult& result, std::string_view file);

// The algorithms that a script needs.
std::vector<std::string> algorithms_of(std::string_view text);

}  // namespace conclave
