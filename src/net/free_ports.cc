#include "net/free_ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace conclave::net {

Result<std::vector<std::uint16_t>> free_ports(std::size_t count) {
    std::vector<std::uint16_t> ports;
    std::vector<int> held;
    for (std::size_t at = 0; at < count; ++at) {
        const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        if (descriptor >= 0) held.push_back(descriptor);
        if (descriptor < 0 || ::bind(descriptor, generic, length) != 0 ||
            ::getsockname(descriptor, generic, &length) != 0) {
            break;
        }
        ports.push_back(ntohs(address.sin_port));
    }
    const Error error{std::string("no free port on 127.0.0.1: ") + std::strerror(errno)};
    for (const int descriptor : held) ::close(descriptor);
    if (ports.size() < count) return error;
    return ports;
}

}  // namespace conclave::net
