#include "node/clean_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <fstream>
#include <ios>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace conclave::node {

namespace {

struct Mapping {
    std::uintptr_t start = 0, end = 0;
    bool fixed = false;  // of a file, and not to be written to
};

// "7f12a0000000-7f12a0021000 r-xp 00000000 fe:00 1234   /usr/lib/libc.so.6"; what stands below it
// is "Anonymous:   8 kB" and the like.
std::optional<Mapping> read_mapping(const std::string& line) {
    std::istringstream words(line);
    Mapping mapping;
    char dash = 0;
    std::string allowed, offset, device;
    std::uint64_t file = 0;
    words >> std::hex >> mapping.start >> dash >> mapping.end >> allowed >> offset >> device;
    if (!(words >> std::dec >> file) || dash != '-') return std::nullopt;
    mapping.fixed = file != 0 && allowed.find('w') == allowed.npos;
    return mapping;
}

bool has_no_copies(const std::string& line) {
    std::istringstream words(line.substr(line.find(':') + 1));
    std::uint64_t kilobytes = 1;
    return (words >> kilobytes) && kilobytes == 0;
}

std::vector<Mapping> clean_mappings() {
    std::vector<Mapping> clean;
    std::ifstream all("/proc/self/smaps");
    Mapping current;
    for (std::string line; std::getline(all, line);) {
        if (const auto next = read_mapping(line)) {
            current = *next;
        } else if (current.fixed && line.starts_with("Anonymous:") && has_no_copies(line)) {
            clean.push_back(current);
        }
    }
    return clean;
}

}  // namespace

std::size_t let_go_of_clean_pages() {
    std::size_t bytes = 0;
    for (const Mapping& one : clean_mappings()) {
        const std::size_t size = one.end - one.start;
        if (::madvise(reinterpret_cast<void*>(one.start), size, MADV_DONTNEED) == 0) bytes += size;
    }
    return bytes;
}

}  // namespace conclave::node
