// engine/unable.h -- a contest that was over before it began: this machine lacks something.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>

#include "engine/engine.h"

namespace conclave::engine {

inline std::unique_ptr<Contest> unable(boost::asio::io_context& loop, const Error& error,
                                       Events& events) {
    class Unable final : public Contest {
    public:
        ~Unable() override { *alive_ = false; }
        std::optional<Instant> until() const override { return std::nullopt; }
        Duration session() const override { return {}; }
        void leave() override {}
        const std::shared_ptr<bool>& alive() const { return alive_; }

    private:
        std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    };
    auto contest = std::make_unique<Unable>();
    boost::asio::post(loop, [alive = contest->alive(), what = error.what, &events] {
        if (*alive) events.failed({net::Trouble::unreachable, what, false}, true);
    });
    return contest;
}

}  // namespace conclave::engine
