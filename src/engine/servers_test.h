// engine/servers_test.h -- for the tests: three real servers of an engine on loopback, and what is
// done to them. They end with the test, however it ends.
#pragma once
#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "engine/engine.h"
#include "net/comes_true_test.h"

namespace conclave::engine {

// A process in the background, its output in a file; killed when this goes.
class Server {
public:
    Server(std::vector<std::string> words, std::filesystem::path log)
        : words_(std::move(words)), log_(std::move(log)) {}
    ~Server() { kill(); }
    Server(Server&& other) noexcept;
    Server& operator=(Server&&) = delete;

    void start();
    void kill();  // and waits for its end
    void signal(int number) const;
    bool runs() const { return pid_ > 0; }
    std::string log() const;

private:
    std::vector<std::string> words_;
    std::filesystem::path log_;
    pid_t pid_ = -1;
};

class Servers {
public:
    virtual ~Servers() = default;

    virtual void start(std::size_t at) = 0;  // also after `kill`
    virtual void kill(std::size_t at) = 0;
    virtual void pause(std::size_t at) = 0;
    virtual void resume(std::size_t at) = 0;

    virtual bool ready() = 0;  // asked again and again after a start: they serve
    virtual std::optional<std::size_t> leader() = 0;  // whom they follow among themselves
    // Somebody who asks all of them, or only one.
    virtual Result<std::unique_ptr<Engine>> connect(boost::asio::io_context& loop,
                                                    std::optional<std::size_t> only = {}) = 0;
    virtual std::string endpoint(std::optional<std::size_t> only = {}) const = 0;  // to type
    virtual Duration session() const { return std::chrono::seconds(2); }           // to ask for
    virtual std::string group() const { return "main"; }  // that can be led
    virtual std::string logs() const = 0;

    static constexpr std::size_t count = 3;
};

// In a folder that is there and empty. Nothing: this machine, or this build, has no such engine.
std::unique_ptr<Servers> native_servers(const std::filesystem::path& folder);
std::unique_ptr<Servers> etcd_servers(const std::filesystem::path& folder);
std::unique_ptr<Servers> zookeeper_servers(const std::filesystem::path& folder);

std::vector<std::uint16_t> free_ports(std::size_t count);  // that were free a moment ago

}  // namespace conclave::engine
