// store/log_check.h -- is SQLite's write-ahead log whole, or has it rotted?
//
// SQLite takes the first frame with a wrong checksum for the torn end of the last transaction and
// forgets all behind it. After a crash that is right: nobody was told of an unfinished commit. For
// a byte that flipped in the middle it would be a silent return to an older vote. The two differ: a
// transaction is begun only when the one before it is synced, so a bad frame with a later
// transaction behind it cannot be the work of a crash. (A flip in the very last transaction can.)
//
// It counts on two habits of Store: the log is emptied at every start, before anything is written,
// and SQLite never spills an unfinished transaction into it. An emptied log may have been filled
// with zeros (Database::lengthen_log), of which SQLite makes as much as of no log.
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>

#include "core/result.h"

namespace conclave {

std::size_t log_size(std::size_t pages);  // in bytes, of a log that holds so many

// To be asked before SQLite opens the file. No log is a good log.
[[nodiscard]] std::optional<Error> check_log(const std::filesystem::path& log);

}  // namespace conclave
