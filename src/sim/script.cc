// sim/script.cc -- runs scripts and compares.
#include "sim/script.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "sim/plan_text.h"
#include "sim/words.h"

namespace conclave {

namespace {

constexpr std::string_view dashes = "----";

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
    Lines lines = split(text, '\n');
    if (lines.back().empty()) lines.pop_back();  // what follows the last line's end
    return lines;
}

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }
bool comment(std::string_view line) { return line.starts_with('#'); }
bool starts_world(std::string_view line) { return line == "world" || line.starts_with("world "); }

struct Block {
    std::size_t first = 0;  // line number, from 1
    Lines commands{};       // comments among them included
    bool dashed = false;
    Lines expected{};
};

// Who performs the commands: no world at first, then the one set up last.
class Company {
public:
    explicit Company(const FindSimulator& find) : find_(find) {}

    std::string perform(std::string_view command) {
        if (starts_world(command)) return set_up(command);
        if (theatre_) return theatre_->perform(command);
        return "error: there is no world yet, begin with: world ALGORITHM nodes=N\n";
    }

private:
    std::string set_up(std::string_view command) {
        theatre_.reset();
        std::string algorithm;
        Plan plan;
        if (const auto wrong = read_world(command, algorithm, plan)) return error(*wrong);
        simulator_ = find_(algorithm);
        if (!simulator_) return error("unknown algorithm " + quote(algorithm));
        if (const auto wrong = simulator_->refuse(plan)) return error(*wrong);
        theatre_ = simulator_->theatre(plan);
        return theatre_->open();
    }
    static std::string error(const std::string& what) { return "error: " + what + "\n"; }

    const FindSimulator& find_;
    std::unique_ptr<Simulator> simulator_;
    std::unique_ptr<Theatre> theatre_;
};

class Run {
public:
    Run(std::string_view text, const FindSimulator& find)
        : lines_(lines_of(text)), company_(find) {}

    ScriptResult run() {
        while (at_ < lines_.size()) {
            if (blank(lines_[at_]) || comment(lines_[at_])) {
                copy(lines_[at_++]);
            } else {
                perform(next_block());
            }
        }
        return std::move(result_);
    }

private:
    Block next_block() {
        Block block{.first = at_ + 1};
        while (at_ < lines_.size() && !blank(lines_[at_]) && lines_[at_] != dashes) {
            block.commands.push_back(lines_[at_++]);
        }
        if (at_ == lines_.size() || lines_[at_] != dashes) return block;
        block.dashed = true;
        for (++at_; at_ < lines_.size() && !blank(lines_[at_]); ++at_) {
            block.expected.push_back(lines_[at_]);
        }
        return block;
    }
    void perform(const Block& block) {
        std::string output;
        for (std::size_t i = 0; i < block.commands.size(); ++i) {
            copy(block.commands[i]);
            if (comment(block.commands[i])) continue;
            const std::string told = company_.perform(block.commands[i]);
            note(block, block.first + i, told);
            output += told;
            ++result_.commands;
        }
        copy(dashes);
        result_.text += output;
        compare(block, output);
    }
    void note(const Block& block, std::size_t line, const std::string& told) {
        for (std::string_view one : lines_of(told)) {
            const bool begins = one.starts_with("violated: ") || one.starts_with("  violated: ");
            if (begins || one.find(": violated (") != one.npos) ++result_.violations;
            if (!one.starts_with("error: ")) continue;
            if (std::ranges::find(block.expected, one) != block.expected.end()) continue;
            result_.errors.push_back({line, std::string(one.substr(7))});
        }
    }
    void compare(const Block& block, const std::string& output) {
        if (!block.dashed) {
            result_.errors.push_back({block.first, "no line of dashes behind the commands"});
        }
        if (block.commands.empty()) {
            result_.errors.push_back({block.first, "no command before the line of dashes"});
        }
        const Lines actual = lines_of(output);
        if (actual == block.expected) return;
        result_.differences.push_back({block.first,
                                       std::string(block.commands.empty() ? "" : block.commands[0]),
                                       {block.expected.begin(), block.expected.end()},
                                       {actual.begin(), actual.end()}});
    }
    void copy(std::string_view line) {
        result_.text += line;
        result_.text += '\n';
    }

    Lines lines_;
    std::size_t at_ = 0;
    Company company_;
    ScriptResult result_;
};

// What differs, between the lines that both begin and both end with.
std::string small_diff(const std::vector<std::string>& expected,
                       const std::vector<std::string>& actual) {
    constexpr std::size_t most = 12;
    const std::size_t shorter = std::min(expected.size(), actual.size());
    std::size_t head = 0, tail = 0;
    while (head < shorter && expected[head] == actual[head]) ++head;
    while (tail < shorter - head &&
           expected[expected.size() - 1 - tail] == actual[actual.size() - 1 - tail]) {
        ++tail;
    }
    std::string text;
    if (head > 0) text += "    " + expected[head - 1] + "\n";
    auto tell = [&](std::string_view sign, const std::vector<std::string>& side) {
        const std::size_t end = side.size() - tail;
        for (std::size_t at = head; at < std::min(end, head + most); ++at) {
            text += std::string(sign) + side[at] + "\n";
        }
        if (end > head + most) {
            text += std::string(sign) + "... " + std::to_string(end - head - most) + " more\n";
        }
    };
    tell("  - ", expected);
    tell("  + ", actual);
    return text;
}

}  // namespace

ScriptResult run_script(std::string_view text, const FindSimulator& find) {
    return Run(text, find).run();
}

std::string explain(const ScriptResult& result, std::string_view file) {
    constexpr std::size_t most = 3;
    std::string text;
    auto where = [&](std::size_t line) {
        return std::string(file) + ":" + std::to_string(line) + ": ";
    };
    for (const auto& error : result.errors) text += where(error.line) + error.what + "\n";
    for (std::size_t at = 0; at < std::min(most, result.differences.size()); ++at) {
        const auto& one = result.differences[at];
        text += where(one.line) + one.command + "\n" + small_diff(one.expected, one.actual);
    }
    if (result.differences.size() > most) {
        text += "and " + std::to_string(result.differences.size() - most) + " more differences\n";
    }
    return text;
}

std::vector<std::string> algorithms_of(std::string_view text) {
    std::vector<std::string> names;
    for (std::string_view line : lines_of(text)) {
        if (!starts_world(line)) continue;
        for (std::string_view word : split(line.substr(5), ' ')) {
            if (word.empty()) continue;
            if (std::ranges::find(names, word) == names.end()) names.emplace_back(word);
            break;
        }
    }
    return names;
}

}  // namespace conclave
