// sim/oracle.cc -- who is told what, and when.
#include "sim/oracle.h"

namespace conclave {

Oracle::Oracle(OracleSettings settings, std::size_t nodes, std::uint64_t seed)
    : settings_(settings), dice_(seed), suspects_(settings.present ? nodes : 0) {}

void Oracle::spread(Instant now, Opinion::What what, std::uint32_t subject) {
    for (std::uint32_t observer = 0; observer < suspects_.size(); ++observer) {
        inform(now, what, observer, subject);
    }
}
void Oracle::inform(Instant now, Opinion::What what, std::uint32_t observer,
                    std::uint32_t subject) {
    if (!settings_.present || observer == subject) return;
    const Instant due = now + dice_.between(settings_.least, settings_.most);
    queue_.push({due, what, observer, subject});
}
Opinion Oracle::take() { return queue_.pop(); }

void Oracle::forget(std::uint32_t observer) {
    if (settings_.present) suspects_[observer].clear();
}
bool Oracle::suspects(std::uint32_t observer, NodeId subject, Incarnation life) const {
    if (!settings_.present) return false;
    const Incarnation* suspected = suspects_[observer].find(subject);
    return suspected && *suspected == life;
}
bool Oracle::suspects(std::uint32_t observer, NodeId subject) const {
    return settings_.present && suspects_[observer].find(subject) != nullptr;
}
void Oracle::suspect(std::uint32_t observer, NodeId subject, Incarnation life) {
    if (settings_.present) suspects_[observer][subject] = life;
}
void Oracle::trust(std::uint32_t observer, NodeId subject) {
    if (settings_.present) suspects_[observer].erase(subject);
}

}  // namespace conclave
