// engine/zookeeper/pursuit.h -- a contest from its first session to its end; see contest.h.
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/lease.h"
#include "engine/zookeeper/contest.h"
#include "engine/zookeeper/evidence.h"
#include "engine/zookeeper/layout.h"
#include "engine/zookeeper/session.h"
#include "net/clock.h"

namespace conclave::engine::zookeeper {

// Shared with whatever is under way on the loop; let go of, it tells nobody anything.
class Pursuit : public std::enable_shared_from_this<Pursuit> {
public:
    Pursuit(std::shared_ptr<const Ground> ground, const Claim& claim, Events& events,
            net::Alarm alarm);

    void open();
    void leave();
    void let_go();
    std::optional<Instant> until() const {
        const auto until = held_ ? evidence_.until() : std::nullopt;
        return until && net::now() < *until ? until : std::nullopt;
    }
    Duration session() const { return usable(evidence_.session()) - evidence_.lag(); }

private:
    struct Own {
        std::string path;
        std::int64_t czxid = 0;
    };
    // Calls `then` unless it is over, or the session is another one.
    template <class F> auto still(F then) {
        return [self = shared_from_this(), session = session_.get(), then](const auto&... what) {
            if (!self->over_ && self->session_.get() == session) then(what...);
        };
    }

    template <class F> auto while_drawing(F then) {
        return still([this, name = name_, then](const Answer& answer) {
            if (drawing_ && name_ == name && !is_broken(answer.code)) then(answer);
        });
    }

    // Of the session.
    void connected();
    void keep();
    void agree();
    void ended(Session::End end);
    void begin_anew();

    // A ticket of the present step.
    const Step& step() const { return steps_[std::min(tickets_.size(), steps_.size() - 1)]; }
    bool has_all() const { return tickets_.size() == steps_.size(); }
    void draw();
    void drawn(const Answer& answer, const std::string& name, Instant sent);
    void drop_double(const Answer& answer);
    void make_folder(const std::string& path, std::function<void()> then);
    void search();
    void find(const Answer& all);
    void take(const std::string& path, std::int64_t czxid);

    void examine();
    void look_at(const std::vector<std::string>& names);
    void wait_for(const std::string& ahead);
    bool is_fresh() const;
    void hold();
    void drop_spent();

    // The ensemble still knows us.
    void confirm();
    void confirmed(const Answer& answer, Instant sent, bool written);
    void set_alarm();
    void ring();

    bool understood(const Answer& answer);
    void fail(net::Trouble trouble, const std::string& what, bool final);
    void lose();
    void end();
    void farewell();

    const std::shared_ptr<const Ground> ground_;
    const std::vector<Step> steps_;
    const std::string holder_;
    const Duration wanted_;
    Events& events_;
    net::Alarm alarm_;

    std::shared_ptr<Session> session_;
    Evidence evidence_;
    Instant opened_{};          // the session, at the earliest
    Instant next_{};            // confirmation, or complaint
    std::vector<Own> tickets_;  // of the steps so far
    std::string name_;          // of the next one, without its number
    bool drawing_ = false;      // it may have been made, and we were not told
    std::string ahead_;         // the node that we wait for, or the folder of all of them
    bool examining_ = false, again_ = false, confirming_ = false, first_ = false;
    bool busy_ = false, held_ = false, leaving_ = false, over_ = false, silent_ = false;
};

}  // namespace conclave::engine::zookeeper
