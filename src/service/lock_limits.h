// service/lock_limits.h -- how much of everything the lock service takes.
//
// All that a session holds and wants is in each of its KeepAlives, which must fit into a frame that
// a node takes from anybody at its door. Clients know these limits and ask for nothing beyond them;
// the leader counts again, for whoever does not.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace conclave::locks {

using Name = std::string;

inline constexpr std::size_t longest_name = 255;        // of a lock or a session, in bytes
inline constexpr std::size_t most_locks = 200;          // of a session, held or wanted
inline constexpr std::size_t most_sessions = 10'000;    // of guests, at one leader
inline constexpr std::size_t longest_word = 64 * 1024;  // of a guest

enum class Limit : std::uint8_t { name, locks, sessions };

inline std::string words(Limit limit) {
    switch (limit) {
        case Limit::name:
            return "the name of a lock has 1 to " + std::to_string(longest_name) + " bytes";
        case Limit::locks:
            return "a session holds and wants at most " + std::to_string(most_locks) + " locks";
        case Limit::sessions:
            break;
    }
    return "the lock service has " + std::to_string(most_sessions) + " sessions, and takes no more";
}

// Why a session with so many others cannot ask for this one; nothing: it can.
inline std::optional<Limit> beyond(const Name& lock, std::size_t others) {
    if (lock.empty() || lock.size() > longest_name) return Limit::name;
    return others >= most_locks ? std::optional(Limit::locks) : std::nullopt;
}

}  // namespace conclave::locks
