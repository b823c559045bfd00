// library/keeper_nodes.cc -- locks that our own nodes keep, all under one session.
#include <errno.h>

#include <utility>

#include "client/caller.h"
#include "client/credentials.h"
#include "library/keeper.h"

namespace conclave {

namespace {

class AtNodes final : public Keeper, private client::Caller::Events {
public:
    explicit AtNodes(Keeper::Events& events) : events_(events) {}

    std::optional<Error> start(boost::asio::io_context& loop, const ClientOptions& options) {
        client::Caller::Settings settings;
        auto endpoints = net::parse_http_endpoints(options.endpoints);
        if (!endpoints) return endpoints.error();
        settings.line.way.endpoints = std::move(*endpoints);
        auto tls = client::present(
            {{options.cacert, options.cert, options.key}, options.token_file}, settings.line.way);
        if (!tls) return tls.error();
        tls_ = std::move(*tls);
        settings.session = options.session;
        settings.name = client::name_of_us(::program_invocation_short_name);
        auto caller = client::Caller::start(loop, std::move(settings), *this);
        if (!caller) return caller.error();
        caller_ = std::move(*caller);
        return std::nullopt;
    }

    void acquire(const std::string& lock, const locks::Terms& terms) override {
        caller_->acquire(lock, terms);
    }
    void release(const std::string& lock) override { caller_->release(lock); }
    std::optional<Instant> until(const std::string&) const override { return caller_->until(); }
    bool tells_who_waits() const override { return true; }

private:
    void granted(const locks::Name& lock, const locks::Token& token) override {
        events_.granted(lock, token);
    }
    void busy(const locks::Name& lock) override { events_.busy(lock); }
    void asked_back(const locks::Name& lock) override { events_.asked_back(lock); }
    void lost(const locks::Name& lock) override { events_.lost(lock); }
    void turned_down(const locks::Name& lock, locks::Limit limit) override {
        events_.turned_down(lock, words(limit));
    }
    void failed(const net::Failure& failure) override { events_.failed(failure.what); }
    void renewed(std::optional<Instant> until) override {
        if (until) events_.renewed();  // else each is told that it is lost
    }
    void welcomed(const wire::Welcome&) override {}
    void settled() override {}

    Keeper::Events& events_;
    std::unique_ptr<net::Tls> tls_;
    std::unique_ptr<client::Caller> caller_;
};

}  // namespace

Result<std::unique_ptr<Keeper>> keeper_at_nodes(boost::asio::io_context& loop,
                                                const ClientOptions& options,
                                                Keeper::Events& events) {
    auto keeper = std::make_unique<AtNodes>(events);
    if (auto error = keeper->start(loop, options)) return *error;
    return std::unique_ptr<Keeper>(std::move(keeper));
}

}  // namespace conclave
