// engine/handle.h -- the contest that its owner has in hand; the work outlives it where it must.
#pragma once
#include <memory>
#include <optional>
#include <utility>

#include "engine/engine.h"

namespace conclave::engine {

template <class Pursuit> class Handle final : public Contest {
public:
    explicit Handle(std::shared_ptr<Pursuit> pursuit) : pursuit_(std::move(pursuit)) {}
    ~Handle() override { pursuit_->let_go(); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    std::optional<Instant> until() const override { return pursuit_->until(); }
    Duration session() const override { return pursuit_->session(); }
    void leave() override { pursuit_->leave(); }

private:
    const std::shared_ptr<Pursuit> pursuit_;
};

}  // namespace conclave::engine
