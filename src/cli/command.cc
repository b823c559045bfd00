// cli/command.cc -- the one place that knows the command line's words.
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/algorithms.h"
#include "cli/check.h"
#include "cli/compare.h"
#include "cli/detector.h"
#include "cli/node_words.h"
#include "cli/replay.h"
#include "cli/sim.h"

namespace conclave {

namespace {

struct Setting {
    const char* name;
    const char* what;
};

// Each is a setting of the plan by the same name; sim/plan_text.h reads the values.
constexpr std::array settings{
    Setting{"nodes", "how many, or their ids in ring order: 5, 3,32,5,80"},
    Setting{
        "start",
        "only these call an election or ask to enter, everybody else is silent, no detector: 1,4"},
    Setting{"requests", "how often each asks to enter a critical section; with --start only those"},
    Setting{"hold", "LO..HI, how long it stays inside"},
    Setting{"think", "LO..HI, how long it pauses before it asks again"},
    Setting{"contention", "at most so many want in at once, drawn for each request; 0: all"},
    Setting{"whispers", "probability that whoever asks tells another node's application"},
    Setting{"timing", "synchronous or asynchronous"},
    Setting{"tm", "longest message time"},
    Setting{"tp", "longest handling time"},
    Setting{"direction", "of the ring: next or previous"},
    Setting{"attr", "ID=NAME:VALUE, a live attribute that only its node knows: 3=load:0.2"},
    Setting{"priority", "ID:VALUE, known to all"},
    Setting{"role", "ID:voter, witness or learner"},
    Setting{"weight", "ID:VOTES"},
    Setting{"join", "a node that boots calls an election (call) or not (stay)"},
    Setting{"without", "switches a fix off by name, to see what it is for"},
    Setting{"crash", "ID[@T]"},
    Setting{"restart", "ID@T, with :amnesia without its disk"},
    Setting{"cut", "A-B@T1..T2, one way A>B@T1..T2"},
    Setting{"partition", "1,2|3,4@T1..T2"},
    Setting{"pause", "ID@T1..T2"},
    Setting{"drift", "ID=RATE, 1.001 runs too fast"},
    Setting{"suspect", "A:B@T, the detector tells A that it suspects B"},
    Setting{"trust", "A:B@T, and takes it back"},
    Setting{"call", "ID@T, somebody calls an election"},
    Setting{"ask", "ID@T:REQUEST, as `algorithms NAME` lists them: 3@10:Resign"},
    Setting{"down", "these never boot"},
    Setting{"loss", "probability that a message is lost"},
    Setting{"dup", "probability that it arrives twice"},
    Setting{"delay", "LO..HI"},
    Setting{"reorder", "on: a link may deliver out of order"},
    Setting{"crashes", "so many at random times before --calm; likewise:"},
    Setting{"restarts", "on: whoever crashed comes back before --calm"},
    Setting{"amnesia", "on: perhaps without its disk"},
    Setting{"torn", "crashes in the middle of a save"},
    Setting{"pauses", "nodes that stand still for a while"},
    Setting{"partitions", "of the network, healed before --calm"},
    Setting{"cuts", "of single links, one way"},
    Setting{"suspicions", "false ones of the oracle"},
    Setting{"calls", "of elections for no reason"},
    Setting{"calm", "from then on nothing goes wrong any more"},
    Setting{"seed", "of the dice"},
    Setting{"until", "the end, else once everything has settled"},
    Setting{"linger", "what has settled must stay so for this long"},
};

// What `check` takes: budgets and bounds, and those settings of a plan that decide its world.
constexpr std::array check_settings{
    Setting{"nodes", "how many, or their ids in ring order: 3 (the default), 3,32,5"},
    Setting{"crashes", "how many there may be; likewise:"},
    Setting{"restarts", "of those who crashed"},
    Setting{"amnesia", "restarts without the disk"},
    Setting{"torn", "crashes in the middle of a save"},
    Setting{"losses", "of messages"},
    Setting{"duplicates", "of messages"},
    Setting{"partitions", "of the group in two, until it heals"},
    Setting{"cuts", "of one link one way, until it heals"},
    Setting{"cut", "A>B or A-B, cut from the beginning until they heal"},
    Setting{"pauses", "of a node, until it resumes"},
    Setting{"suspicions", "false ones of the detector, until it takes them back"},
    Setting{"changes", "of an attribute, above or below all others"},
    Setting{"calls", "of elections, or whatever --ask names, at any node"},
    Setting{"ask", "REQUEST that --calls may make, as `algorithms NAME` lists them"},
    Setting{"epochs", "no state beyond this number is followed; likewise:"},
    Setting{"rounds", "of runs; or how often each node enters the critical section"},
    Setting{"nonces", "of questions"},
    Setting{"flight", "messages in flight at once"},
    Setting{"depth", "steps from the start"},
    Setting{"ticks", "of time"},
    Setting{"settle", "ticks after the last fault within which all must be settled"},
    Setting{"tick", "how long one is: the longest message time, or as given"},
    Setting{"timing", "synchronous, asynchronous, drifting, or patient: timers wait for messages"},
    Setting{"links", "fifo, reliable or hostile"},
    Setting{"start", "only these call an election, each once at any time, no detector: 1,4"},
    Setting{"join", "a node that boots calls an election (call) or not (stay)"},
    Setting{"detector", "oracle or none"},
    Setting{"down", "these never boot"},
    Setting{"tm", "longest message time"},
    Setting{"tp", "longest handling time"},
    Setting{"direction", "of the ring: next or previous"},
    Setting{"attr", "ID=NAME:VALUE, a live attribute that only its node knows: 3=load:0.2"},
    Setting{"priority", "ID:VALUE, known to all"},
    Setting{"role", "ID:voter, witness or learner"},
    Setting{"weight", "ID:VOTES"},
    Setting{"drift", "ID=RATE, 1.2 runs a fifth too fast"},
    Setting{"without", "switches a fix off by name, to see what it is for"},
    Setting{"memory", "the search ends when it needs more: 4G (the default)"},
    Setting{"states", "... or when it has seen so many"},
    Setting{"threads", "that search"},
};

struct Words {  // what was typed, before it is understood
    Terminal terminal;
    std::string format = "text", colour = "auto";
    SimOptions sim;
    std::map<std::string, std::vector<std::string>> values;
    std::vector<std::string> options;
    std::string detector_kind;
    std::vector<std::string> sweep;
    ReplayOptions replay;
    CompareOptions compare;
    CheckOptions check;
    AlgorithmsOptions algorithms;
    NodeWords node;
};

void add_global(CLI::App& app, Words& words) {
    app.add_option("-o,--output", words.format, "text, json or jsonl")
        ->check(CLI::IsMember({"text", "json", "jsonl"}));
    app.add_option("--color", words.colour, "auto, never or always")
        ->check(CLI::IsMember({"auto", "never", "always"}));
    app.add_flag("-q,--quiet", words.terminal.quiet, "say nothing but what was asked for");
    app.set_version_flag("--version", "conclave " CONCLAVE_VERSION);
    app.require_subcommand(1);
    app.fallthrough();
}

void add_settings(CLI::App& command, std::span<const Setting> list, Words& words) {
    for (const Setting& setting : list) {
        const std::string flag = std::string("--") + setting.name;
        command.add_option(flag, words.values[setting.name], setting.what)
            ->allow_extra_args(false)
            ->take_all();
    }
    command.add_option("--set", words.options, "NAME=VALUE, an option of the algorithm")
        ->allow_extra_args(false)
        ->take_all();
}

void add_sim(CLI::App& app, Words& words) {
    auto* sim = app.add_subcommand("sim", "run a world: an algorithm, `detector`, or a script");
    sim->add_option("what", words.sim.what, "ALGORITHM, detector or FILE")->required();
    add_settings(*sim, settings, words);
    sim->add_option("--detector", words.sim.detector,
                    "oracle, heartbeat, adaptive, chen, bertier, accrual, ping or none");
    sim->add_option("--runs", words.sim.runs, "so many seeds, from --seed on (sim detector: 100)")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40));
    sim->add_flag("--claimed", words.sim.claimed,
                  "random worlds with the faults that the algorithm claims to survive");
    sim->add_flag("--rewrite", words.sim.rewrite, "write a script's output into the script");
    sim->add_option("--trace", words.sim.trace, "write the run as a script (of the first failure)");
    sim->add_option("--svg", words.sim.svg, "draw the run as a space-time diagram");
    sim->add_option("--kind", words.detector_kind,
                    "sim detector: heartbeat, adaptive, chen, bertier, accrual or ping");
    sim->add_option("--sweep", words.sweep, "sim detector: the trade-off over NAME=VALUE,VALUE,...")
        ->allow_extra_args(false)
        ->take_all();
}

void add_check(CLI::App& app, Words& words) {
    auto* check = app.add_subcommand("check", "explore every interleaving of a small world");
    check->add_option("algorithm", words.check.algorithm, "ALGORITHM")->required();
    add_settings(*check, check_settings, words);
    check->add_flag("--compact", words.check.compact, "keep 64 bits of each state only");
    check->add_flag("--depth-first", words.check.depth_first, "rather than breadth first");
    check->add_flag("--single-states", words.check.single_states,
                    "judge single states only, not endless runs: faster, and smaller");
    check->add_flag("--one-leader", words.check.one_leader, "demand that no two lead at once");
    check->add_option("--judge", words.check.judged, "this property only, or these")
        ->allow_extra_args(false)
        ->take_all();
    check->add_option("--script", words.check.script, "write the counterexample to this file");
    check->add_option("--svg", words.check.svg, "draw the counterexample");
}

void add_replay(CLI::App& app, Words& words) {
    auto* replay = app.add_subcommand("replay", "a recorded run through the same world");
    replay
        ->add_option("paths", words.replay.paths,
                     "a trace of `sim`; or recordings of nodes, FILE... or DIR...")
        ->required();
    replay->add_option("--group", words.replay.group, "of the recordings, if there are several");
    replay->add_option("--from", words.replay.from, "tell and draw from this time on (200, 5s)");
    replay->add_option("--to", words.replay.to, "and end here");
    replay->add_option("--last", words.replay.last, "tell and draw only the end: 5s");
    replay->add_option("--svg", words.replay.svg, "draw the recordings as a space-time diagram");
}

void add_others(CLI::App& app, Words& words) {
    auto* compare = app.add_subcommand("compare", "messages and time beside the formulas");
    compare->add_option("algorithms", words.compare.algorithms, "ALGORITHM...");
    compare->add_option("--nodes", words.compare.nodes, "A..B");
    compare->add_flag("--mutex", words.compare.mutex, "mutual exclusion instead of elections");
    compare->add_flag("--contention", words.compare.contention,
                      "--mutex: against how many want in at once, at the largest size");
    compare->add_option("--svg", words.compare.svg, "draw messages against nodes");
    auto* algorithms = app.add_subcommand("algorithms", "the catalog");
    algorithms->add_option("name", words.algorithms.name, "ALGORITHM");
    algorithms->add_option("--nodes", words.algorithms.nodes, "for a group of this size");
}

using Settled = std::vector<std::pair<std::string, std::string>>;

// Settings as typed, in a fixed order; false if one has no value to take.
bool gather(Words& words, std::span<const Setting> list, Settled& into) {
    for (const Setting& setting : list) {
        for (const std::string& value : words.values[setting.name]) {
            into.emplace_back(setting.name, value);
        }
    }
    for (const std::string& option : words.options) {
        const auto equals = option.find('=');
        if (equals == option.npos) {
            complain("--set takes NAME=VALUE, not '" + option + "'");
            return false;
        }
        into.emplace_back("set." + option.substr(0, equals), option.substr(equals + 1));
    }
    return true;
}

void understand(Words& words) {
    words.terminal.format = words.format == "text"   ? Format::text
                            : words.format == "json" ? Format::json
                                                     : Format::jsonl;
    words.terminal.colour = words.colour == "auto"    ? Colour::automatic
                            : words.colour == "never" ? Colour::never
                                                      : Colour::always;
}

Exit obey(const CLI::App& app, Words& words) {
    understand(words);
    if (const auto exit = obey_node_words(app, words.terminal, words.node)) return *exit;
    if (app.got_subcommand("check")) {
        if (!gather(words, check_settings, words.check.settings)) return Exit::usage;
        return run_check(words.terminal, words.check);
    }
    if (app.got_subcommand("sim")) {
        if (!gather(words, settings, words.sim.settings)) return Exit::usage;
        if (words.sim.what != "detector") return run_sim(words.terminal, words.sim);
        constexpr std::uint64_t enough = 100;  // one crash tells little about the next
        if (app.get_subcommand("sim")->count("--runs") == 0) words.sim.runs = enough;
        return run_detector(words.terminal, {words.detector_kind, words.sweep, words.sim});
    }
    if (app.got_subcommand("replay")) return run_replay(words.terminal, words.replay);
    if (app.got_subcommand("compare")) return run_compare(words.terminal, words.compare);
    return run_algorithms(words.terminal, words.algorithms);
}

}  // namespace

int command(int argc, const char* const* argv) {
    CLI::App app{"Conclave: one coordinator, who is alive, and turns to take.", "conclave"};
    Words words;
    add_global(app, words);
    add_sim(app, words);
    add_check(app, words);
    add_replay(app, words);
    add_others(app, words);
    add_node_words(app, words.node);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --version
        return app.exit(asked);
    } catch (const CLI::ParseError& error) {
        complain(error.what());
        return static_cast<int>(Exit::usage);
    }
    try {
        return static_cast<int>(obey(app, words));
    } catch (const std::exception& error) {
        complain(std::string("internal error: ") + error.what());
        return static_cast<int>(Exit::internal);
    }
}

}  // namespace conclave
