// engine/zookeeper/reading.h -- who has a thing and who waits for it, read from its nodes.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/zookeeper/layout.h"
#include "engine/zookeeper/session.h"

namespace conclave::engine::zookeeper {

class Reading : public std::enable_shared_from_this<Reading> {
public:
    // The code of the first answer that was none; 0: the standing is whole.
    using Done = std::function<void(int code, const Standing& standing)>;
    // If it is watched the session hears of the first change.
    static void start(std::shared_ptr<Session> session, const Thing& thing, const std::string& root,
                      bool watch, Done done);

private:
    Reading(std::shared_ptr<Session> session, const Thing& thing, bool watch, Done done)
        : session_(std::move(session)), thing_(thing), watch_(watch), done_(std::move(done)) {}
    void begin(const std::string& folder);
    void list(const std::string& folder, Ticket::Kind kind, std::vector<Entry>& into);
    void read(const std::string& folder, const Ticket& ticket, std::vector<Entry>& into);
    void await(const std::string& folder, Ticket::Kind kind, std::vector<Entry>& into);
    void arrived(int code);

    const std::shared_ptr<Session> session_;
    const Thing thing_;
    const bool watch_;
    const Done done_;
    Picture picture_;
    std::size_t awaited_ = 0;
    int code_ = 0;
};

}  // namespace conclave::engine::zookeeper
