// net/pem_files.h -- a certificate and its key on disk.
//
// A file is complete or not there: it is written beside its place and moved into it. The key is
// readable by its owner only, from its first byte on. What is there is kept unless told otherwise:
// a CA whose key is overwritten takes every certificate it has signed with it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "net/certificates.h"

namespace conclave::net {

struct PemFiles {
    std::filesystem::path certificate, key;
};

// NAME.crt and NAME.key.
PemFiles pem_files(const std::filesystem::path& folder, std::string_view name);

enum class Existing { keep, replace };

// Nothing, or why not; then no file is there that was not there before. Of a pair that is replaced
// the key comes first: whoever reads in between finds two that do not match, and keeps its old
// ones.
[[nodiscard]] std::optional<Error> save(const Pem& pem, const PemFiles& files, Existing existing);

Result<Pem> load(const PemFiles& files);
Result<std::string> read_pem(const std::filesystem::path& path);  // any file of a few certificates

}  // namespace conclave::net
