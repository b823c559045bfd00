#include "cli/node.h"

#include <cstdio>

#include "node/config.h"
#include "node/daemon.h"
#include "node/placing.h"

namespace conclave {

namespace {

void print_problems(const std::vector<node::Problem>& problems, const char* kind) {
    for (const node::Problem& problem : problems) {
        std::fprintf(stderr, "conclave: %s%s\n", kind, node::to_text(problem).c_str());
    }
}

}  // namespace

Exit run_node(const Terminal& terminal, const NodeOptions& options) {
    const auto load = [&] {
        return node::load_config(options.config, {node::environment(), options.overrides},
                                 node::known_algorithms());
    };
    const node::Loaded loaded = load();
    print_problems(loaded.errors, "");
    if (!loaded.config) return Exit::config;
    print_problems(loaded.warnings, "warning: ");
    if (options.check) {
        if (!terminal.quiet) {
            const std::string text =
                print_effective(*loaded.config, node::failover_bound, node::mutex_words);
            std::fputs(text.c_str(), stdout);
        }
        return Exit::ok;
    }
    const node::NodeEnd end = node::run_daemon(*loaded.config, load);
    if (end.how == node::NodeEnd::How::stopped) return Exit::ok;
    complain(end.why);
    return end.how == node::NodeEnd::How::disk ? Exit::files : Exit::config;
}

}  // namespace conclave
