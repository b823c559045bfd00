#include "net/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>

namespace conclave::net {
namespace {

Duration tick_of_kernel() {
    timespec tick{};
    if (::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0) return std::chrono::milliseconds(10);
    return std::chrono::seconds(tick.tv_sec) + Duration(tick.tv_nsec);
}

}  // namespace

void set_option(int socket, int level, int name, std::int64_t value) {
    const int number = static_cast<int>(value);
    ::setsockopt(socket, level, name, &number, sizeof number);
}

// By the kernel's ticks, of which the last is left out: better late than before it was sent, though
// ticks can be late themselves. Nobody sets this clock, unlike that of the time stamps it gives.
Duration since_last_word(int socket) {
    static const Duration tick = tick_of_kernel();
    tcp_info info{};
    socklen_t size = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
    const Duration ticks = std::chrono::milliseconds(info.tcpi_last_data_recv);
    return std::max(ticks - tick, Duration{});
}

}  // namespace conclave::net
