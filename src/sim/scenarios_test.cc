// sim/scenarios_test.cc -- every file in scenarios/ does what it says.
//
// With CONCLAVE_REWRITE=1 in the environment the files are rewritten; the reviewer reads the diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "catalog/simulators.h"
#include "sim/claimed.h"
#include "sim/plan_text.h"
#include "sim/script.h"

namespace conclave {
namespace {

std::unique_ptr<Simulator> find(std::string_view name) {
    const auto entry = std::ranges::find(simulators(), name, &SimulatorEntry::name);
    return entry == simulators().end() ? nullptr : entry->make();
}

std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Scenarios, AllPass) {
    const char* wish = std::getenv("CONCLAVE_REWRITE");
    const bool rewrite = wish != nullptr && std::string(wish) == "1";
    std::size_t passed = 0;
    const std::filesystem::path folder = std::filesystem::path(CONCLAVE_SOURCE_DIR) / "scenarios";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const auto& file = entry.path();
        if (file.extension() != ".txt") continue;
        const std::string text = read(file);
        const auto known = [](const std::string& name) { return find(name) != nullptr; };
        if (!std::ranges::all_of(algorithms_of(text), known)) continue;  // not in the catalog yet
        EXPECT_TRUE(text.starts_with("# ")) << file << " must begin with its story";
        const ScriptResult result = run_script(text, find);
        if (rewrite && result.errors.empty()) {
            std::ofstream(file, std::ios::binary) << result.text;
        } else {
            EXPECT_TRUE(result.ok()) << explain(result, file.filename().string());
        }
        ++passed;
    }
    EXPECT_GE(passed, 6U);
}

TEST(Scenarios, TracesOfEveryAlgorithmReplay) {
    for (const SimulatorEntry& entry : simulators()) {
        const auto simulator = entry.make();
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Description about = simulator->describe(default_plan(5).settings);
            Plan plan = claimed_plan(about.assumes, about.claim.kind, seed, 5);
            plan.trace = true;
            const std::string trace = simulator->run(plan).trace;
            const ScriptResult result = run_script(trace, find);
            EXPECT_TRUE(result.ok() && result.text == trace)
                << entry.name << ", seed " << seed << ":\n"
                << explain(result, "trace");
        }
    }
}

}  // namespace
}  // namespace conclave
