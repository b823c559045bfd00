#include "client/answer.h"

#include <boost/json/parse.hpp>

#include "net/json_members.h"

namespace conclave::client {

std::string words_of(const boost::json::value& problem, unsigned status) {
    std::string detail = text_member(problem, "detail");
    return detail.empty() ? "the node answered " + std::to_string(status) : detail;
}

Said read_answer(const net::Outcome& outcome) {
    using net::Trouble;
    if (const auto* failure = std::get_if<net::Failure>(&outcome)) return {0, {}, *failure};
    const auto& answer = std::get<net::Answer>(outcome);
    Said said{answer.status, {}, {}};
    boost::system::error_code error;
    if (answer.status != 204) said.body = boost::json::parse(answer.body, error);
    if (said.good() && error) {
        said.status = 0;
        said.failure = {Trouble::bad_answer, "the answer is not JSON: is that a conclave node?",
                        true};
    } else if (!said.good()) {
        const bool forbidden = answer.status == 401 || answer.status == 403;
        said.failure = {forbidden ? Trouble::refused : Trouble::bad_answer,
                        words_of(said.body, answer.status), true};
    }
    return said;
}

}  // namespace conclave::client
