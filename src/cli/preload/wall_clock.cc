// cli/preload/wall_clock.cc -- for the tests, loaded into a node before the C library: a wall clock
// that is wrong by as many seconds as the file named in WALL_CLOCK_OFFSET says at that moment.
//
// The file holds one std::int64_t and is mapped, so that a clock steps while the node runs. All
// other clocks are left alone.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

const std::int64_t* map_offset() {
    const char* const path = std::getenv("WALL_CLOCK_OFFSET");
    const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        std::abort();  // a test that believes to have changed the clock would show nothing
    void* const mapped = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
    ::close(file);
    if (mapped == MAP_FAILED) std::abort();
    return static_cast<const std::int64_t*>(mapped);
}

std::int64_t offset() {
    static const std::int64_t* const seconds = map_offset();
    return __atomic_load_n(seconds, __ATOMIC_RELAXED);
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
    const auto failed = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
    const bool wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (failed == 0 && wall) time->tv_sec += offset();
    return failed;
}

int gettimeofday(timeval* time, void*) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t* into) noexcept {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}

}  // extern "C"
