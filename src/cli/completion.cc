#include "cli/completion.h"

#include <cstdio>

#include "cli/terminal.h"

namespace conclave {

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string names(const std::vector<CompletedCommand>& commands) {
    std::string text;
    for (const CompletedCommand& one : commands) text += (text.empty() ? "" : " ") + one.name;
    return text;
}

// What may come behind it.
std::string follow_up(const CompletedCommand& command) {
    std::vector<std::string> words = command.verbs;
    words.insert(words.end(), command.flags.begin(), command.flags.end());
    return joined(words);
}

// zsh runs bash completions if asked to.
std::string bash(const std::vector<CompletedCommand>& commands) {
    std::string text =
        "_conclave() {\n"
        "    local word=${COMP_WORDS[COMP_CWORD]} command= words= at\n"
        "    for ((at = 1; at < COMP_CWORD; ++at)); do\n"
        "        [[ ${COMP_WORDS[at]} == -* ]] || { command=${COMP_WORDS[at]}; break; }\n"
        "    done\n"
        "    case $command in\n"
        "    '') words='" +
        names(commands) + "' ;;\n";
    for (const CompletedCommand& one : commands) {
        text += "    " + one.name + ") words='" + follow_up(one) + "' ;;\n";
    }
    text +=
        "    esac\n"
        "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
        "    [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
        "}\n"
        "complete -F _conclave conclave\n";
    return text;
}

std::string zsh(const std::vector<CompletedCommand>& commands) {
    std::string text = "#compdef conclave\n_conclave() {\n    local -a commands\n    commands=(\n";
    for (const CompletedCommand& one : commands) {
        std::string what;
        for (const char c : one.what) what += c == '\'' || c == ':' ? ' ' : c;
        text += "        '" + one.name + ":" + what + "'\n";
    }
    text += "    )\n    if ((CURRENT == 2)); then _describe command commands; return; fi\n";
    text += "    case $words[2] in\n";
    for (const CompletedCommand& one : commands) {
        text += "    " + one.name + ") compadd -- " + follow_up(one) + " ;;\n";
    }
    return text + "    esac\n    _files\n}\n_conclave \"$@\"\n";
}

std::string fish(const std::vector<CompletedCommand>& commands) {
    std::string text;
    for (const CompletedCommand& one : commands) {
        text += "complete -c conclave -n __fish_use_subcommand -a " + one.name + " -d " +
                shell_quoted(one.what) + "\n";
        if (!one.verbs.empty()) {
            text += "complete -c conclave -n '__fish_seen_subcommand_from " + one.name + "' -a " +
                    shell_quoted(joined(one.verbs)) + "\n";
        }
        for (const std::string& flag : one.flags) {
            const bool is_long = flag.starts_with("--");
            text += "complete -c conclave -n '__fish_seen_subcommand_from " + one.name + "' " +
                    (is_long ? "-l " + flag.substr(2) : "-s " + flag.substr(1)) + "\n";
        }
    }
    return text;
}

}  // namespace

Exit run_completion(const std::string& shell, const std::vector<CompletedCommand>& commands) {
    const std::string text = shell == "bash"   ? bash(commands)
                             : shell == "zsh"  ? zsh(commands)
                             : shell == "fish" ? fish(commands)
                                               : "";
    if (text.empty()) {
        complain("completion is for bash, zsh or fish, not '" + shell + "'");
        return Exit::usage;
    }
    std::fputs(text.c_str(), stdout);
    return Exit::ok;
}

}  // namespace conclave
