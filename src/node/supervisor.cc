#include "node/supervisor.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace conclave::node {

Supervisor::Supervisor() {
    if (const char* socket = std::getenv("NOTIFY_SOCKET")) socket_ = socket;
    ::unsetenv("NOTIFY_SOCKET");  // not for the commands that this node runs
}

void Supervisor::say(const char* what) const {
    sockaddr_un address{};
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) return;
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // Linux's abstract names
    const int descriptor = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    // Whoever does not listen any more cannot be helped.
    static_cast<void>(::sendto(descriptor, what, std::strlen(what), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&address), length));
    ::close(descriptor);
}

}  // namespace conclave::node
