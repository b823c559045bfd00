#include "node/segments.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace conclave::node {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".rec";

Error failed(const fs::path& path) { return {path.string() + ": " + std::strerror(errno)}; }

// Another node may have the same folder, and a name that begins like this one's.
bool is_segment(std::string_view file, std::string_view node) {
    if (!file.starts_with(node) || !file.ends_with(suffix)) return false;
    file.remove_prefix(node.size());
    file.remove_suffix(std::min(file.size(), suffix.size()));
    return file.starts_with('-') && std::ranges::count(file, '-') == 2 &&
           file.find_first_not_of("-0123456789") == file.npos;
}

}  // namespace

Segments::Segments(fs::path folder, std::string name, std::uint64_t bytes)
    : folder_(std::move(folder)), name_(std::move(name)), bytes_(bytes) {}

std::optional<Error> Segments::begin(Incarnation life, std::uint64_t segment) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) return Error{folder_.string() + ": " + error.message()};
    drop_oldest();
    std::array<char, 48> numbers{};
    std::snprintf(numbers.data(), numbers.size(), "-%08llu-%08llu",
                  static_cast<unsigned long long>(life.value),
                  static_cast<unsigned long long>(segment));
    path_ = folder_ / (name_ + numbers.data() + std::string(suffix));
    file_ = std::ofstream(path_, std::ios::binary | std::ios::trunc);
    if (!file_) return failed(path_);
    // Messages and plans are in it: for nobody else's eyes.
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, error);
    return std::nullopt;
}

// The stream's own buffer is emptied each time: a node may be killed at any moment.
std::optional<Error> Segments::append(ByteView bytes) {
    file_.write(reinterpret_cast<const char*>(bytes.data()),
                static_cast<std::streamsize>(bytes.size()));
    if (!file_.flush()) return failed(path_);
    return std::nullopt;
}

void Segments::drop_oldest() {
    struct File {
        fs::path path;
        std::uint64_t size;
    };
    std::vector<File> files;
    std::uint64_t total = 0;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder_, error)) {
        const std::string name = entry.path().filename();
        if (!is_segment(name, name_)) continue;
        const auto size = entry.file_size(error);
        if (error) continue;
        files.push_back({entry.path(), size});
        total += size;
    }
    std::ranges::sort(files, {}, &File::path);
    for (const File& file : files) {
        if (total <= bytes_ / 5 * 3) return;
        fs::remove(file.path, error);
        total -= file.size;
    }
}

}  // namespace conclave::node
