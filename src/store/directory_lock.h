// store/directory_lock.h -- one process per state directory.
//
// The kernel drops the lock with the process, however it ends: there is no stale lock to remove.
// The process id in the file is for people only.
#pragma once
#include <filesystem>

#include "core/result.h"

namespace conclave {

class DirectoryLock {
public:
    // Makes the directory (not its parents) if it is missing.
    static Result<DirectoryLock> take(const std::filesystem::path& directory);

    DirectoryLock(DirectoryLock&& other) noexcept;
    DirectoryLock& operator=(DirectoryLock&&) = delete;
    ~DirectoryLock();

private:
    explicit DirectoryLock(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;
};

}  // namespace conclave
