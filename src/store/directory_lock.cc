// store/directory_lock.cc -- flock(2) on a file that stays.
#include "store/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

namespace conclave {

namespace {

Error refused(const std::filesystem::path& directory, const std::string& why) {
    return {"state directory " + directory.string() + ": " + why};
}

std::string holder(int descriptor) {
    std::array<char, 32> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    int process = 0;
    if (size > 0) std::from_chars(text.data(), text.data() + size, process);
    return process > 0 ? "process " + std::to_string(process) : "another process";
}

void sign(int descriptor) {
    const std::string text = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor, 0) != 0) return;
    // On a full disk the name is missing, the lock holds all the same.
    static_cast<void>(::pwrite(descriptor, text.data(), text.size(), 0) > 0);
}

}  // namespace

Result<DirectoryLock> DirectoryLock::take(const std::filesystem::path& directory) {
    std::error_code trouble;
    std::filesystem::create_directory(directory, trouble);
    if (trouble) return refused(directory, "cannot be made: " + trouble.message());
    const auto file = directory / "lock";
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor < 0)
        return refused(directory, std::string("cannot be written: ") + std::strerror(errno));
    DirectoryLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
        sign(descriptor);
        return lock;
    }
    if (errno == EWOULDBLOCK) return refused(directory, "in use by " + holder(descriptor));
    return refused(directory, std::string("cannot be locked: ") + std::strerror(errno));
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

DirectoryLock::~DirectoryLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace conclave
