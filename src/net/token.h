// net/token.h -- a secret that lets a client without a certificate change something.
//
// It is in a file of its own, at the node and at the client. Whoever sees it once can use it, so it
// is sent under TLS or on this machine only (see Dialogue) and never printed.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace conclave::net {

// Without the white space around it. An error if others can read the file, or if it could be
// guessed.
Result<std::string> read_token(const std::filesystem::path& file);

// The value of an Authorization field that shows it.
std::string bearer(std::string_view token);
// What such a field shows; empty if it is of another kind.
std::string_view token_in(std::string_view authorization);

// Takes as long for one that is nearly right as for any other of its length.
bool same_token(std::string_view known, std::string_view shown);

}  // namespace conclave::net
