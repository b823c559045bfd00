// client/caller.h -- a client of the lock service: its line to a node, its session and its locks.
//
// Runs the LockCaller of service/ on a loop. What is held is held until `until`, by this machine's
// suspend-aware clock, and a little less if somebody needs time to stop: nobody else is granted it
// before. When the node at the other end dies the line is taken up at another endpoint, and what
// was held is still held if that happens in time. The same when nothing is heard from there any
// more: it hangs, or is cut off from the leader, and another may not be.
#pragma once
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "client/line.h"
#include "net/clock.h"
#include "net/driver.h"
#include "service/lock_caller.h"

namespace conclave::client {

// Of a guest. Its sessions must be nobody else's, ever: there is no node id in them to tell them
// apart.
Incarnation draw_life();
// What people see who holds: "backup@web3".
std::string name_of_us(const std::string& program);

class Caller {
public:
    struct Settings {
        Line::Settings line;
        Duration session{};  // how long it lasts unrenewed; zero, or too long: as long as it may
        std::string name{};  // whose it is, for people
    };
    // Called from the loop, never from inside a call of Caller.
    class Events {
    public:
        virtual ~Events() = default;
        virtual void granted(const locks::Name& lock, const locks::Token& token) = 0;
        virtual void busy(const locks::Name& lock) = 0;  // wanted, and others are first
        virtual void asked_back(const locks::Name&) {}   // held on `told` terms, others wait
        virtual void settled() = 0;                      // whatever was released, the cluster knows
        // By the session's end, not by `release`: that, once whatever was done under it has ended,
        // frees a lock that was taken away by an administrator.
        virtual void lost(const locks::Name& lock) = 0;
        virtual void turned_down(const locks::Name& lock,
                                 locks::Limit limit) = 0;  // not wanted now
        virtual void welcomed(const wire::Welcome& welcome) = 0;
        virtual void failed(const net::Failure& failure) = 0;  // to reach somebody; goes on
        // `until` has changed. Called in the midst of a step: nothing may be asked of the Caller.
        virtual void renewed(std::optional<Instant> until) = 0;
    };

    static Result<std::unique_ptr<Caller>> start(boost::asio::io_context& loop, Settings settings,
                                                 Events& events);
    ~Caller();

    void acquire(const locks::Name& lock, const locks::Terms& terms = {});
    void release(const locks::Name& lock);  // held, or only wanted
    void stop();

    // Of everything that is held; nothing if there is no session.
    std::optional<Instant> until() const;
    const locks::Holding* holds(const locks::Name& lock) const;
    Duration session() const { return config_.session; }
    bool settled() const;

private:
    struct Feet {  // what the driver stands on
        Caller& caller;

        Instant now() { return net::now(); }
        Attribute attribute() { return 0; }
        Duration draw(Wait wait) { return wait.least; }
        void send(NodeId, ByteView message, net::Hurry) { caller.send(message); }
        void alarm(Instant due, std::uint32_t stamp) { caller.set_alarm(due, stamp); }
        void save(ByteView) {}
        void stepped(Instant, const Event<LockCaller>&, const std::vector<Effect<LockCaller>>&) {
            caller.look_at_session();
        }
        void told(const LockCaller::Notice& notice) { caller.note(notice); }
    };

    Caller(boost::asio::io_context& loop, Settings settings, Events& events, net::Alarm alarm);
    void send(ByteView message);
    void set_alarm(Instant due, std::uint32_t stamp);
    void wake_at_next();
    void fire_due();
    void judge_silence(Duration late);
    void note(const LockCaller::Notice& notice);
    void tell(const locks::Granted& granted) { events_.granted(granted.lock, granted.token); }
    void tell(const locks::Busy& busy) { events_.busy(busy.lock); }
    void tell(const locks::AskedBack& asked) { events_.asked_back(asked.lock); }
    void tell(const locks::Settled&) { events_.settled(); }
    void tell(const locks::Lost& lost) { events_.lost(lost.lock); }
    void tell(const locks::TurnedDown& no) { events_.turned_down(no.lock, no.limit); }
    void take(const wire::Frame& frame);
    void take_welcome(const wire::Welcome& welcome);
    void look_at_session();

    boost::asio::io_context& loop_;
    Events& events_;
    const Duration wanted_session_;
    net::Alarm alarm_;
    std::vector<std::pair<Instant, std::uint32_t>> alarms_;
    std::vector<LockCaller::Notice> news_;  // not told yet
    std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
    const MemberList members_;
    locks::Config config_;
    Feet feet_{*this};
    net::Driver<LockCaller, Feet> driver_;
    std::optional<wire::Welcome> welcome_;
    std::optional<Instant> until_;  // as it was told
    Bytes frame_;
    const bool elsewhere_;  // there are other endpoints
    bool asking_ = false;   // for something, when we last looked
    Instant heard_{};       // when we last heard anything, or began to ask
    int moves_ = 0;         // from one endpoint to another, since the leader last answered
    Line line_;
};

}  // namespace conclave::client
