#include "engine/zookeeper/reading.h"

#include <algorithm>

namespace conclave::engine::zookeeper {

void Reading::start(std::shared_ptr<Session> session, const Thing& thing, const std::string& root,
                    bool watch, Done done) {
    const std::shared_ptr<Reading> reading(
        new Reading(std::move(session), thing, watch, std::move(done)));
    reading->begin(folder_of(thing, root));
}

// What the server has not heard of yet is waited for: it may lag behind the others.
void Reading::begin(const std::string& folder) {
    ++awaited_;
    session_->sync(folder, [self = shared_from_this(), folder](const Answer& answer) {
        const bool leads = self->thing_.kind == Thing::Kind::leadership;
        const bool good = answer.code == 0 || is_missing(answer.code);
        if (good) {
            self->list(folder, leads ? Ticket::Kind::latch : Ticket::Kind::lock,
                       self->picture_.queue);
        }
        self->arrived(good ? 0 : answer.code);
    });
}

void Reading::list(const std::string& folder, Ticket::Kind kind, std::vector<Entry>& into) {
    ++awaited_;
    session_->list(
        folder, watch_, [self = shared_from_this(), folder, kind, &into](const Answer& answer) {
            if (is_missing(answer.code)) {
                if (self->watch_) self->await(folder, kind, into);
                return self->arrived(0);
            }
            for (const Ticket& ticket : queue_of(answer.names, kind))
                self->read(folder, ticket, into);
            const auto has = [&](std::string_view name) {
                return std::ranges::find(answer.names, name) != answer.names.end();
            };
            const auto below = [&](std::string_view name) {
                return folder + "/" + std::string(name);
            };
            if (&into == &self->picture_.queue && kind == Ticket::Kind::lock) {
                if (has(slot_queue)) self->list(below(slot_queue), kind, self->picture_.slots);
                if (has(slot_leases))
                    self->list(below(slot_leases), Ticket::Kind::lease, self->picture_.leases);
            }
            self->arrived(answer.code);
        });
}

void Reading::read(const std::string& folder, const Ticket& ticket, std::vector<Entry>& into) {
    ++awaited_;
    session_->read(folder + "/" + ticket.name, false,
                   [self = shared_from_this(), ticket, &into](const Answer& answer) {
                       if (answer.code == 0) into.push_back({ticket, answer.text, answer.czxid});
                       self->arrived(is_missing(answer.code) ? 0 : answer.code);
                   });
}

// Until somebody makes it; it may have been made a moment ago.
void Reading::await(const std::string& folder, Ticket::Kind kind, std::vector<Entry>& into) {
    ++awaited_;
    session_->await(folder, [self = shared_from_this(), folder, kind, &into](const Answer& answer) {
        if (answer.code == 0) self->list(folder, kind, into);
        self->arrived(is_missing(answer.code) ? 0 : answer.code);
    });
}

void Reading::arrived(int code) {
    if (code_ == 0) code_ = code;
    if (--awaited_ > 0) return;
    for (auto* entries : {&picture_.queue, &picture_.slots, &picture_.leases}) {
        std::ranges::sort(*entries, {}, [](const Entry& entry) { return entry.ticket.number; });
    }
    done_(code_, standing_of(thing_, picture_));
}

}  // namespace conclave::engine::zookeeper
