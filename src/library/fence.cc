#include "conclave/fence.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace conclave {

namespace {

using Verdict = FenceFile::Answer::Verdict;

class File {
public:
    explicit File(int number) : number_(number) {}
    ~File() {
        if (number_ >= 0) ::close(number_);
    }
    File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    bool open() const { return number_ >= 0; }
    int number() const { return number_; }

private:
    int number_;
};

std::string trouble(const std::string& path, const char* what) {
    const int code = errno;
    return path + ": " + what + ": " + std::generic_category().message(code);
}

bool read_number(std::string_view text, std::uint64_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

// The file as it is now, locked. Whoever writes puts a new file in its place: the one that we
// waited for may be an old one by then.
File lock(const std::string& path) {
    while (true) {
        File file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
        if (!file.open()) return file;
        while (::flock(file.number(), LOCK_EX) != 0) {
            if (errno != EINTR) return File(-1);
        }
        struct stat ours {
        }, named{};
        if (::fstat(file.number(), &ours) != 0) return File(-1);
        if (::stat(path.c_str(), &named) == 0 && ours.st_ino == named.st_ino &&
            ours.st_dev == named.st_dev) {
            return file;
        }
    }
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// Either the old file or the new one is there, whatever happens in between.
bool replace(const std::string& path, const std::string& text) {
    const std::string fresh = path + ".new";
    {
        File file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (!file.open()) return false;
        if (!write_all(file.number(), text) || ::fsync(file.number()) != 0) return false;
    }
    if (::rename(fresh.c_str(), path.c_str()) != 0) return false;
    const auto folder = std::filesystem::path(path).parent_path();
    const std::string name = folder.empty() ? "." : folder.string();
    File directory(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return directory.open() && ::fsync(directory.number()) == 0;
}

}  // namespace

std::optional<FencingToken> parse_token(std::string_view text) {
    FencingToken token;
    const std::size_t dot = text.find('.');
    if (!read_number(text.substr(0, dot), token.epoch)) return std::nullopt;
    if (dot != text.npos && !read_number(text.substr(dot + 1), token.number)) return std::nullopt;
    return token;
}

std::string to_string(FencingToken token) {
    const std::string epoch = std::to_string(token.epoch);
    return token.number == 0 ? epoch : epoch + '.' + std::to_string(token.number);
}

bool FenceGate::admit(FencingToken token) {
    const std::lock_guard guard(mutex_);
    if (token < largest_) return false;
    largest_ = token;
    return true;
}

FencingToken FenceGate::largest() const {
    const std::lock_guard guard(mutex_);
    return largest_;
}

FenceFile::Answer FenceFile::admit(FencingToken token) {
    const File file = lock(path_);
    if (!file.open()) return {Verdict::broken, {}, trouble(path_, "cannot be opened")};
    char text[64];
    const ssize_t size = ::pread(file.number(), text, sizeof text, 0);
    if (size < 0) return {Verdict::broken, {}, trouble(path_, "cannot be read")};
    FencingToken largest;
    if (size > 0) {  // an empty one was made just now, and has seen nothing
        const std::string_view line(text, static_cast<std::size_t>(size));
        const auto known =
            line.ends_with('\n') ? parse_token(line.substr(0, line.size() - 1)) : std::nullopt;
        if (!known) return {Verdict::broken, {}, path_ + ": holds no token, and is left as it is"};
        largest = *known;
    }
    if (token < largest) return {Verdict::stale, largest, {}};
    if (token > largest && !replace(path_, to_string(token) + '\n'))
        return {Verdict::broken, largest, trouble(path_, "cannot be written")};
    return {Verdict::admitted, largest, {}};
}

}  // namespace conclave
