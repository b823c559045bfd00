// net/driver.h -- runs any Protocol on a real clock, real links and a real disk.
//
// The same loop as the simulated world, for one node: one event at a time, its effects obeyed in
// order. What a world keeps as data is the Ground's here, which the node plugs in: the time, the
// links, the timers, the disk, the ears. A Save stops this machine, and no other: what it wanted to
// do next, and what happens to it meanwhile, wait until the record is on disk. If that fails the
// machine never moves again: a vote that may be forgotten must not be told.
#pragma once
#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/value.h"
#include "net/peer.h"
#include "wire/messages.h"

namespace conclave::net {

// What a driver stands on. `told` is called once per notice, with its own type; `stepped` between
// the step and obeying its effects, for those who keep a journal or a recording.
template <class G, class P>
concept Ground = requires(G& ground, NodeId to, ByteView bytes, Instant due, std::uint32_t stamp,
                          Wait wait, Hurry hurry, const Event<P>& event,
                          const std::vector<Effect<P>>& effects) {
    { ground.now() } -> std::same_as<Instant>;
    { ground.attribute() } -> std::same_as<Attribute>;
    { ground.draw(wait) } -> std::same_as<Duration>;
    ground.send(to, bytes, hurry);
    ground.alarm(due, stamp);
    ground.save(bytes);
    ground.stepped(due, event, effects);
};

// Messages by type: sent as the source says, sent because of our fixes, received.
template <class P> struct Tally {
    static constexpr std::size_t types = std::variant_size_v<typename P::Message>;
    std::array<std::uint64_t, types> sent{}, repair{}, received{};
};

template <Protocol P, class G> class Driver {
public:
    Driver(NodeId self, const MemberList& members, const typename P::Config& config,
           Incarnation incarnation, G& ground)
        : self_(self),
          members_(members),
          config_(config),
          incarnation_(incarnation),
          ground_(ground) {}

    const P& state() const { return state_; }
    const Tally<P>& tally() const { return tally_; }

    void happen(Event<P> event) {
        if (busy()) return wait(std::move(event));
        run([&] { step_with(event); });
    }
    // False: these bytes are no message of ours.
    [[nodiscard]] bool receive(NodeId from, ByteView bytes) {
        if (!members_.contains(from)) return false;
        Received<P> letter{from, {}};
        if (!wire::read_message<P>(bytes, letter.message)) return false;
        ++tally_.received[letter.message.index()];
        happen(std::move(letter));
        return true;
    }
    // Whether an alarm that was set with this stamp would count if it went off now.
    bool awaits(std::uint32_t stamp) const {
        return std::ranges::find(timers_, stamp, &Armed::stamp) != timers_.end();
    }
    // It has gone off, and counts only if it is still in force when its turn comes.
    void fire(std::uint32_t stamp) {
        if (busy()) return wait(stamp);
        run([&] { expire(stamp); });
    }
    // What was handed to Ground::save is on disk.
    void saved() {
        assert(saving_);
        saving_ = false;
        if (!running_) run([] {});
    }

private:
    using Waiting = std::variant<Event<P>, std::uint32_t>;
    struct Armed {
        typename P::Timer timer;
        std::uint32_t stamp;
    };

    bool busy() const { return running_ || saving_; }
    // Whoever is told something may answer with the next event: it waits for its turn. Else nothing
    // waits for anything, and an event is not moved about.
    template <class W> void wait(W what) {
        waiting_.emplace_back(std::in_place_type<W>, std::move(what));
    }
    template <class F> void run(F first) {
        running_ = true;
        first();
        while (!saving_) {
            if (next_effect_ < effects_.list.size()) {
                std::visit([this](auto& one) { this->obey(one); }, effects_.list[next_effect_++]);
            } else if (next_waiting_ < waiting_.size()) {
                const Waiting next = std::move(waiting_[next_waiting_++]);
                take(next);
            } else {
                break;
            }
        }
        if (next_waiting_ == waiting_.size()) {
            waiting_.clear();
            next_waiting_ = 0;
        }
        running_ = false;
    }
    void take(const Waiting& next) {
        if (const auto* stamp = std::get_if<std::uint32_t>(&next)) {
            expire(*stamp);
        } else {
            step_with(std::get<Event<P>>(next));
        }
    }
    void expire(std::uint32_t stamp) {
        if (auto timer = disarm(stamp)) step_with(Expired<P>{std::move(*timer)});
    }
    void step_with(const Event<P>& event) {
        effects_.list.clear();
        next_effect_ = 0;
        const Seat<P> seat{self_, members_, config_, ground_.attribute(), incarnation_};
        const Instant now = ground_.now();
        step(state_, seat, now, event, effects_);
        ground_.stepped(now, event, effects_.list);
    }
    std::optional<typename P::Timer> disarm(std::uint32_t stamp) {
        for (auto armed = timers_.begin(); armed != timers_.end(); ++armed) {
            if (armed->stamp != stamp) continue;
            auto timer = std::move(armed->timer);
            timers_.erase(armed);
            return timer;
        }
        return std::nullopt;
    }

    void obey(Send<P>& send) {
        const std::size_t type = send.message.index();
        ++(send.repair ? tally_.repair : tally_.sent)[type];
        buffer_.clear();
        wire::write_message<P>(buffer_, send.message);
        ground_.send(send.to, buffer_, can_wait(send.message) ? Hurry::can_wait : Hurry::at_once);
    }
    void obey(Arm<P>& arm) {
        std::erase_if(timers_, [&](const Armed& one) { return equal(one.timer, arm.timer); });
        timers_.push_back({std::move(arm.timer), ++stamps_});
        ground_.alarm(ground_.now() + ground_.draw(arm.wait), stamps_);
    }
    void obey(Disarm<P>& disarmed) {
        std::erase_if(timers_, [&](const Armed& one) { return equal(one.timer, disarmed.timer); });
    }
    void obey(Save<P>& save) {
        buffer_.clear();
        wire::write_record<P>(buffer_, save.durable);
        saving_ = true;
        ground_.save(buffer_);
    }
    void obey(Tell<P>& tell) {
        std::visit([this](const auto& notice) { ground_.told(notice); }, tell.notice);
    }

    const NodeId self_;
    const MemberList& members_;
    const typename P::Config& config_;
    const Incarnation incarnation_;
    G& ground_;

    P state_{};
    Effects<P> effects_;
    std::size_t next_effect_ = 0;
    std::vector<Waiting> waiting_;
    std::size_t next_waiting_ = 0;
    std::vector<Armed> timers_;
    std::uint32_t stamps_ = 0;
    bool saving_ = false, running_ = false;
    Bytes buffer_;
    Tally<P> tally_;
};

}  // namespace conclave::net
