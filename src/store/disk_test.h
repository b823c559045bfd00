// store/disk_test.h -- for the tests: fresh directories, child processes, and a disk that fails on
// command.
//
// SQLite's calls to the kernel go through a table that can be changed, and its syncs through two
// functions that this program replaces (disk_test.cc). So a test can kill, tear, fill or hold up
// the n-th write, on any machine and as any user.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "store/store.h"

namespace conclave::testing {

class Folder {  // removed with everything in it
public:
    Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder();
    const std::filesystem::path path;
};

enum class Mishap {
    kill,  // the process dies before the write
    tear,  // it dies in the middle of a large one
    full,  // no space from this write on
    hang,  // waits until `calm`
};

// For one process; a forked child has its own.
class Disk {
public:
    static void fail(Mishap mishap, int at_write);  // counted from 1
    static void calm();
    static int writes();  // since the last `fail` or `calm`
    static bool hanging();
    static int syncs();
    static void on_sync(std::function<void()> seen);  // empty: nothing
};

// Runs `body` in a child that leaves with its result, and waits for it: the exit status as wait(2)
// has it. The child must not use gtest.
int in_child(const std::function<int()>& body);

// The same, but with a pipe: what the child `tell`s, in order, until it ended.
class Told {
public:
    explicit Told(int descriptor) : descriptor_(descriptor) {}
    void tell(std::uint64_t number) const;

private:
    int descriptor_;
};
struct Tale {
    std::vector<std::uint64_t> numbers;
    int status = 0;
};
// `watch` is called after every number with the child's id, and may kill it.
Tale listen(const std::function<int(Told)>& body,
            const std::function<void(pid_t, std::uint64_t)>& watch = {});

inline const Identity alpha{"demo", NodeId{1}, "alpha"};

inline Bytes bytes_of(std::uint64_t number, std::size_t size = 8) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(number >> (i % 8 * 8));
    return bytes;
}
inline Pending record(std::string group, Bytes bytes) {
    return {std::move(group), "quorum", std::move(bytes)};
}

}  // namespace conclave::testing
