// engine/etcd_servers_test.h -- for the tests: three real etcd servers.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "engine/servers_test.h"

namespace conclave::engine {

class EtcdServers final : public Servers {
public:
    struct Options {
        bool tls = false;  // with certificates that the test makes, in `folder`/certs
        std::size_t size = count;
        std::vector<std::string> words{};  // more of them for each
    };
    EtcdServers(const std::filesystem::path& folder, Options options);
    static bool installed();

    void start(std::size_t at) override { servers_[at].start(); }
    void kill(std::size_t at) override { servers_[at].kill(); }
    void pause(std::size_t at) override;
    void resume(std::size_t at) override;
    bool ready() override { return leader().has_value(); }
    std::optional<std::size_t> leader() override;
    Result<std::unique_ptr<Engine>> connect(boost::asio::io_context& loop,
                                            std::optional<std::size_t> only = {}) override;
    std::string endpoint(std::optional<std::size_t> only = {}) const override;
    std::string logs() const override;

    // Starts them all and waits until they serve; false if that takes too long.
    bool come_up();
    // `etcdctl` with these words, as the shell would have it.
    std::string control(const std::string& words) const;
    // From now on there is the user root, with this password, and nobody else may do anything.
    void ask_for_password(const std::string& password, const std::string& known_by = "") const;

private:
    std::string url(std::uint16_t port) const;

    const std::filesystem::path folder_;
    const Options options_;
    std::vector<std::uint16_t> clients_, peers_;
    std::vector<Server> servers_;
};

}  // namespace conclave::engine
