#include "cli/fence.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>

#include "conclave/fence.hpp"

namespace conclave {

Exit run_fence_check(const Terminal& terminal, const FenceOptions& options) {
    using Verdict = FenceFile::Answer::Verdict;
    const auto token = parse_token(options.token);
    if (!token) {
        complain("--token " + shell_quoted(options.token) + ": not of the form 42.7");
        return Exit::usage;
    }
    const FenceFile::Answer answer = FenceFile(options.file).admit(*token);
    if (answer.verdict == Verdict::broken) {
        complain(answer.trouble);
        return Exit::files;
    }
    const bool admitted = answer.verdict == Verdict::admitted;
    const std::string largest = to_string(answer.largest);
    if (terminal.format != Format::text) {
        const boost::json::object object{
            {"admitted", admitted}, {"token", to_string(*token)}, {"largest_before", largest}};
        std::printf("%s\n", boost::json::serialize(object).c_str());
    } else if (!admitted) {
        complain(to_string(*token) + " is refused: " + largest + " was here before");
    } else if (!terminal.quiet) {
        std::printf("%s %s\n", to_string(*token).c_str(), terminal.good("admitted").c_str());
    }
    return admitted ? Exit::ok : Exit::refused;
}

}  // namespace conclave
