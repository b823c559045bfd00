#include "engine/zookeeper/contest.h"

#include <utility>

#include "engine/unable.h"
#include "engine/zookeeper/pursuit.h"

namespace conclave::engine::zookeeper {

namespace {

class Handle final : public Contest {
public:
    explicit Handle(std::shared_ptr<Pursuit> pursuit) : pursuit_(std::move(pursuit)) {}
    ~Handle() override { pursuit_->let_go(); }

    std::optional<Instant> until() const override { return pursuit_->until(); }
    Duration session() const override { return pursuit_->session(); }
    void leave() override { pursuit_->leave(); }

private:
    const std::shared_ptr<Pursuit> pursuit_;
};

}  // namespace

std::unique_ptr<Contest> contend(std::shared_ptr<const Ground> ground, const Claim& claim,
                                 Events& events) {
    auto alarm = net::Alarm::make(ground->loop);
    if (!alarm) return unable(ground->loop, alarm.error(), events);
    auto pursuit = std::make_shared<Pursuit>(std::move(ground), claim, events, std::move(*alarm));
    pursuit->open();
    return std::make_unique<Handle>(std::move(pursuit));
}

}  // namespace conclave::engine::zookeeper
