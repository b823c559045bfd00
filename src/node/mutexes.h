// node/mutexes.h -- this node as the process of the textbook, in each of its mutexes.
//
// It asks to enter while a client of its wants to, and leaves in between: node/sessions.h lends
// each stay inside to one session, as it lends a lease. Only what a machine has told counts; what
// it knows may still be on its way to the disk.
//
// Breaks   if what the algorithm assumes is broken. A client is told to rely on a stay for a short
//          while only (`longest_silence`), so that it has stopped before the others can know that
//          its node is dead.
#pragma once
#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "net/log.h"
#include "node/hosted_group.h"

namespace conclave::node {

class Mutexes {
public:
    struct Office {
        std::function<void(const std::string& group)> changed;  // it has entered, or is out
        std::function<std::string(NodeId)> name_of;
    };
    // `silence`: what a client may rely on without asking again.
    Mutexes(boost::asio::io_context& loop, Duration silence, Office office, LogSink& log)
        : loop_(loop), silence_(silence), office_(std::move(office)), log_(log) {}

    void add(HostedGroup& group) { places_.emplace(group.name(), Place{&group, {}}); }
    bool has(const std::string& group) const { return places_.contains(group); }
    bool empty() const { return places_.empty(); }
    Duration silence() const { return silence_; }

    // By the name of the group. Each stay has a number of its own.
    std::optional<Tenure> stay(const std::string& group) const;
    Section section(const std::string& group) const;
    void want(const std::string& group, bool wanted);
    void leave(const std::string& group);

    void told(const std::string& group, const Told& notice);
    void settle();  // the machines have booted
    void close();   // nobody enters here any more
    void stop();    // nor is anything else asked of the machines

private:
    struct Place {
        HostedGroup* group;
        std::optional<Instant> entered;
        std::uint64_t stays = 0;
        bool wanted = false, asked = false;
    };
    void settle(Place& place);
    void settle_soon(Place& place);

    boost::asio::io_context& loop_;
    const Duration silence_;
    const Office office_;
    LogSink& log_;
    std::map<std::string, Place> places_;
    bool closed_ = false, stopped_ = false;
};

}  // namespace conclave::node
