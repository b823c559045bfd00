#include "engine/zookeeper/contest.h"

#include <utility>

#include "engine/handle.h"
#include "engine/unable.h"
#include "engine/zookeeper/pursuit.h"

namespace conclave::engine::zookeeper {

std::unique_ptr<Contest> contend(std::shared_ptr<const Ground> ground, const Claim& claim,
                                 Events& events) {
    auto alarm = net::Alarm::make(ground->loop);
    if (!alarm) return unable(ground->loop, alarm.error(), events);
    auto pursuit = std::make_shared<Pursuit>(std::move(ground), claim, events, std::move(*alarm));
    pursuit->open();
    return std::make_unique<Handle<Pursuit>>(std::move(pursuit));
}

}  // namespace conclave::engine::zookeeper
