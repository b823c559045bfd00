// conclave/client.hpp -- locks for a process that is no member of the cluster.
//
//     conclave::Client client({.endpoints = {"unix:/run/conclave/api.sock"}});
//     if (auto held = client.lock("nightly-backup").lock_for(2s)) {
//         while (held->held()) write_a_piece(held->token());
//     }
//
// A lock is a lease. `held()` is a comparison with the clock: it turns false before anybody else
// can be granted the lock, also when this process cannot reach anybody, was paused, or slept with
// its machine. What happens between looking at it and writing it cannot know: what is written to
// must refuse a smaller token (fence.hpp).
//
// Everything may be used from several threads. The client has two threads of its own: one for its
// connection, and one on which stop callbacks and the log run, so that these may take their time.
// Nothing is thrown but by the constructor; destructors wait for no answer.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/api.h"
#include "conclave/fence.hpp"

namespace conclave {

struct ClientOptions {
    // Of nodes; any will do. Or of an engine that is not ours: "etcd://e1,e2,e3/ROOT" with all its
    // servers in one (docs/engines.md), which needs no node.
    std::vector<std::string> endpoints{"unix:/run/conclave/api.sock"};
    // For https://, etcds://. Without `cacert` whom this machine believes.
    std::string cacert{}, cert{}, key{};
    // With the token of the nodes, for who has no certificate. Sent under TLS, or to an address of
    // this machine.
    std::string token_file{};
    std::string user{}, password{};  // for an engine that asks
    // How long a lock outlives the last contact; zero: as long as the nodes allow, or 10 s.
    std::chrono::nanoseconds session{0};
    // How long before its end `held()` turns false and `lost()` is asked to stop.
    std::chrono::nanoseconds stop_margin = std::chrono::milliseconds(50);
    // Why nobody can be reached, or a lock cannot be asked for.
    std::function<void(std::string_view line)> log{};
};

struct LockTerms {
    bool shared = false;      // with others that share it
    std::uint32_t slots = 0;  // of a semaphore: how many may hold it; 0: it is a lock
    bool told = false;        // `wanted()` says when somebody else waits for it; engines do not
    // Once let go of it stays with this client until somebody else, here or elsewhere, wants it,
    // and can be had again without a message, under the same token. Implies `told`. At an engine it
    // is simply let go of.
    bool sticky = false;
};

// A lock that was granted. Letting go of it releases it.
class CONCLAVE_API Held {
public:
    Held(Held&&) noexcept;
    Held& operator=(Held&&) noexcept;
    ~Held();

    bool held() const noexcept;
    std::chrono::nanoseconds remaining() const noexcept;  // zero: not held
    FencingToken token() const noexcept;
    std::stop_token lost() const noexcept;    // for whoever must stop in time
    std::stop_token wanted() const noexcept;  // for whoever lets go if others wait (`told`)
    void unlock() noexcept;

    struct CONCLAVE_LOCAL Lease;  // of the implementation
    class CONCLAVE_LOCAL Core;

private:
    friend class Lock;
    explicit Held(std::shared_ptr<Lease> lease);
    std::shared_ptr<Lease> lease_;
};

class CONCLAVE_API Lock {
public:
    [[nodiscard]] std::optional<Held> try_lock();  // nothing: somebody has it, or nobody answers
    [[nodiscard]] std::optional<Held> lock_for(std::chrono::nanoseconds wait);
    [[nodiscard]] std::optional<Held> lock(std::stop_token stop = {});  // nothing: was stopped

private:
    friend class Client;
    Lock(std::shared_ptr<Held::Core> core, std::string name, LockTerms terms);
    std::optional<Held> take(bool impatient, std::optional<std::chrono::nanoseconds> limit,
                             const std::stop_token& stop);
    std::shared_ptr<Held::Core> core_;
    std::string name_;
    LockTerms terms_;
};

class CONCLAVE_API Client {
public:
    // Throws std::invalid_argument if the options are wrong. Reaching somebody comes later.
    explicit Client(ClientOptions options = {});
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;
    ~Client();  // what is still held is lost, and given up

    Lock lock(std::string name, LockTerms terms = {});
    // All of them, asked for in the order of their names: two that want the same ones never wait
    // for each other in a circle, however each has named them. Nothing: not all of them in time, or
    // one was lost meanwhile; then none is held.
    [[nodiscard]] std::optional<std::vector<Held>> lock_all(std::vector<std::string> names,
                                                            std::chrono::nanoseconds wait);

private:
    std::shared_ptr<Held::Core> core_;
};

}  // namespace conclave
