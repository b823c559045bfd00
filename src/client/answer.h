// client/answer.h -- what a node has answered, or that none did.
#pragma once
#include <boost/json/value.hpp>
#include <string>

#include "net/http_client.h"

namespace conclave::client {

struct Said {
    unsigned status = 0;  // zero: nobody has answered, or not in JSON
    boost::json::value body{};
    net::Failure failure{};  // in the node's own words, if they are to be had

    bool good() const { return status >= 200 && status < 300; }
};
Said read_answer(const net::Outcome& outcome);

// A node's own words for what is wrong.
std::string words_of(const boost::json::value& problem, unsigned status);

}  // namespace conclave::client
