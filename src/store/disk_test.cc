// store/disk_test.cc -- the failing disk; see disk_test.h.
#include "store/disk_test.h"

#include <sqlite3.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace {

using conclave::testing::Mishap;

std::atomic<int> write_count{0}, sync_count{0}, fatal_write{0};
std::atomic<Mishap> what_happens{Mishap::kill};
std::atomic<bool> is_hanging{false};
std::function<void()> sync_seen;

// A sector is written whole or not at all; so is anything smaller.
constexpr std::size_t sector = 512;

[[noreturn]] void die() {
    ::kill(::getpid(), SIGKILL);
    std::abort();
}

void hang() {
    is_hanging = true;
    is_hanging.notify_all();
    while (fatal_write != 0) fatal_write.wait(fatal_write);
    is_hanging = false;
}

bool goes_well(const std::function<void()>& half = {}) {  // false: the disk is full
    const int now = ++write_count;
    const int fatal = fatal_write;
    if (fatal == 0 || now < fatal) return true;
    switch (what_happens) {
        case Mishap::tear:
            if (half) half();
            die();
        case Mishap::kill:
            die();
        case Mishap::hang:
            hang();
            return true;
        case Mishap::full:
            errno = ENOSPC;
            return false;
    }
    std::abort();
}

ssize_t failing_write(int file, const void* data, size_t size, off_t at) {
    const auto half = [&] {
        if (size > sector && ::pwrite(file, data, size / 2, at) < 0) std::abort();
    };
    return goes_well(half) ? ::pwrite(file, data, size, at) : -1;
}

int failing_truncate(int file, off_t size) { return goes_well() ? ::ftruncate(file, size) : -1; }

int failing_unlink(const char* path) {
    static_cast<void>(goes_well());  // a full disk can still delete
    return ::unlink(path);
}

template <class Function> void replace(const char* name, Function function) {
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    // A name that this build of SQLite does not use is no matter: the tests count the writes.
    system->xSetSystemCall(system, name, reinterpret_cast<sqlite3_syscall_ptr>(function));
}

int synced() {
    ++sync_count;
    if (sync_seen) sync_seen();
    return 0;
}

}  // namespace

// The page cache outlives a killed process, so nothing here needs a real sync, and thousands of
// stores are opened. What must be synced is checked by `on_sync`.
extern "C" int fdatasync(int) { return synced(); }
extern "C" int fsync(int) { return synced(); }

namespace conclave::testing {

Folder::Folder()
    : path([] {
          auto name = (std::filesystem::temp_directory_path() / "conclave-store-XXXXXX").string();
          if (::mkdtemp(name.data()) == nullptr) std::abort();
          return std::filesystem::path(name);
      }()) {}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

void Disk::fail(Mishap mishap, int at_write) {
    replace("pwrite", failing_write);
    replace("pwrite64", failing_write);
    replace("ftruncate", failing_truncate);
    replace("unlink", failing_unlink);
    write_count = 0;
    what_happens = mishap;
    fatal_write = at_write;
}

void Disk::calm() {
    write_count = 0;
    fatal_write = 0;
    fatal_write.notify_all();
}

int Disk::writes() { return write_count; }
int Disk::syncs() { return sync_count; }
bool Disk::hanging() { return is_hanging; }
void Disk::on_sync(std::function<void()> seen) { sync_seen = std::move(seen); }

int in_child(const std::function<int()>& body) {
    return listen([&](Told) { return body(); }).status;
}

void Told::tell(std::uint64_t number) const {
    if (::write(descriptor_, &number, sizeof number) != sizeof number) std::abort();
}

Tale listen(const std::function<int(Told)>& body,
            const std::function<void(pid_t, std::uint64_t)>& watch) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        ::_exit(body(Told(ends[1])));
    }
    ::close(ends[1]);
    Tale tale;
    std::uint64_t number = 0;
    while (::read(ends[0], &number, sizeof number) == sizeof number) {
        tale.numbers.push_back(number);
        if (watch) watch(child, number);
    }
    ::close(ends[0]);
    if (::waitpid(child, &tale.status, 0) != child) std::abort();
    return tale;
}

}  // namespace conclave::testing
