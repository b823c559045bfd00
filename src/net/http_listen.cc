#include "net/http_listen.h"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/socket_base.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

namespace conclave::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using asio::local::stream_protocol;
using Generic = asio::generic::stream_protocol;
using Code = boost::system::error_code;

constexpr mode_t owner_and_group = 0660;

Error cannot_listen(const HttpEndpoint& endpoint, const std::string& reason) {
    return Error{endpoint.text + ": cannot listen: " + reason};
}

// Makes room at the path: a socket that refuses connections belongs to a process that has died.
std::string clear_path(asio::io_context& loop, const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0)
        return errno == ENOENT ? "" : std::generic_category().message(errno);
    if (!S_ISSOCK(found.st_mode)) return "there is a file that is no socket";
    stream_protocol::socket probe(loop);
    Code code;
    probe.connect(stream_protocol::endpoint(path), code);
    if (!code) return "another process listens on it";
    if (code != asio::error::connection_refused) return code.message();
    if (::unlink(path.c_str()) != 0) return std::generic_category().message(errno);
    return {};
}

Result<Listening> open_unix(asio::io_context& loop, const HttpEndpoint& endpoint) {
    if (std::string reason = clear_path(loop, endpoint.path); !reason.empty())
        return cannot_listen(endpoint, reason);
    Listening listening{Acceptor(loop), endpoint.text};
    stream_protocol::endpoint name(endpoint.path);
    Code code;
    listening.acceptor.open(name.protocol(), code);
    if (!code) listening.acceptor.bind(Generic::endpoint(name), code);
    if (code) return cannot_listen(endpoint, code.message());
    // Nobody can connect between bind and listen, so the mode is never wider than this.
    if (::chmod(endpoint.path.c_str(), owner_and_group) != 0)
        return cannot_listen(endpoint, std::generic_category().message(errno));
    listening.acceptor.listen(asio::socket_base::max_listen_connections, code);
    if (code) return cannot_listen(endpoint, code.message());
    return listening;
}

Result<Listening> open_tcp(asio::io_context& loop, const HttpEndpoint& endpoint) {
    tcp::resolver resolver(loop);
    Code code;
    auto found = resolver.resolve(endpoint.host, endpoint.port, tcp::resolver::passive, code);
    if (code || found.empty()) return cannot_listen(endpoint, code.message());
    tcp::endpoint name = *found.begin();
    Listening listening{Acceptor(loop), {}};
    listening.acceptor.open(name.protocol(), code);
    if (!code) listening.acceptor.set_option(asio::socket_base::reuse_address(true), code);
    if (!code) listening.acceptor.bind(Generic::endpoint(name), code);
    if (!code) listening.acceptor.listen(asio::socket_base::max_listen_connections, code);
    Generic::endpoint bound;
    if (!code) bound = listening.acceptor.local_endpoint(code);
    if (code) return cannot_listen(endpoint, code.message());
    // Port and family sit at the same place in both families' addresses.
    auto* address = reinterpret_cast<const sockaddr_in*>(bound.data());
    std::string host = name.address().to_string();
    if (name.address().is_v6()) host = '[' + host + ']';
    listening.address = host + ':' + std::to_string(ntohs(address->sin_port));
    return listening;
}

}  // namespace

Result<Listening> open_listener(asio::io_context& loop, const HttpEndpoint& endpoint) {
    return endpoint.local() ? open_unix(loop, endpoint) : open_tcp(loop, endpoint);
}

SocketFile::SocketFile(std::string path) : path_(std::move(path)) {
    struct stat found {};
    if (::lstat(path_.c_str(), &found) != 0) return;
    device_ = found.st_dev;
    inode_ = found.st_ino;
}

SocketFile::~SocketFile() {
    struct stat found {};
    if (::lstat(path_.c_str(), &found) != 0) return;
    if (found.st_dev == device_ && found.st_ino == inode_) ::unlink(path_.c_str());
}

}  // namespace conclave::net
