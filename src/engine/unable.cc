#include "engine/unable.h"

#include <boost/asio/post.hpp>
#include <functional>
#include <utility>

namespace conclave::engine {

namespace {

class Unable final : public Contest {
public:
    Unable(boost::asio::io_context& loop, Events& events) : loop_(loop), events_(events) {}
    ~Unable() override { *alive_ = false; }

    std::optional<Instant> until() const override { return std::nullopt; }
    Duration session() const override { return {}; }
    void leave() override {
        soon([this] { events_.left(); });
    }
    void say(const Error& error) {
        soon([this, error] {
            events_.failed({net::Trouble::unreachable, error.what, false}, true);
        });
    }

private:
    void soon(std::function<void()> then) {
        boost::asio::post(loop_, [alive = alive_, then = std::move(then)] {
            if (*alive) then();
        });
    }

    boost::asio::io_context& loop_;
    Events& events_;
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace

std::unique_ptr<Contest> unable(boost::asio::io_context& loop, const Error& error, Events& events) {
    auto contest = std::make_unique<Unable>(loop, events);
    contest->say(error);
    return contest;
}

}  // namespace conclave::engine
