#include "net/token.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <fstream>

namespace conclave::net {

namespace {

constexpr std::string_view scheme = "Bearer ";
constexpr std::size_t least = 16, most = 1024;  // must fit into the header of a request

std::string_view without_space_around(std::string_view text) {
    constexpr std::string_view white = " \t\r\n";
    text = text.substr(0, text.find_last_not_of(white) + 1);
    return text.substr(std::min(text.find_first_not_of(white), text.size()));
}

bool could_be_token(std::string_view word) {
    const auto printable = [](char c) { return c > ' ' && c < 0x7f; };
    return word.size() >= least && word.size() <= most && std::ranges::all_of(word, printable);
}

}  // namespace

Result<std::string> read_token(const std::filesystem::path& file) {
    const std::string name = "the token in " + file.string();
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    std::ifstream in;  // a pipe is not even opened: it would wait for somebody to write
    if (!error && std::filesystem::is_regular_file(status)) in.open(file, std::ios::binary);
    if (!in.is_open()) return Error{"cannot read " + name};
    if ((status.permissions() & std::filesystem::perms::others_all) !=
        std::filesystem::perms::none) {
        return Error{name + " can be read by everybody: chmod o= it"};
    }
    std::string text(2 * most, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    const std::string_view word = without_space_around(text);
    if (!could_be_token(word)) {
        std::string what = name;
        what.append(" must be one word of ").append(std::to_string(least)).append(" to ");
        what.append(std::to_string(most)).append(" letters and digits");
        return Error{what};
    }
    return text.substr(static_cast<std::size_t>(word.data() - text.data()), word.size());
}

std::string bearer(std::string_view token) { return std::string(scheme).append(token); }

std::string_view token_in(std::string_view authorization) {
    const bool shown = boost::beast::iequals(authorization.substr(0, scheme.size()), scheme);
    return shown ? authorization.substr(scheme.size()) : std::string_view();
}

bool same_token(std::string_view known, std::string_view shown) {
    if (known.empty() || known.size() != shown.size()) return false;
    return CRYPTO_memcmp(known.data(), shown.data(), known.size()) == 0;
}

}  // namespace conclave::net
