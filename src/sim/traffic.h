// sim/traffic.h -- the agenda of a random walk: what is in flight and armed, in order of time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/adversary.h"
#include "sim/alarms.h"
#include "sim/calendar.h"
#include "sim/dice.h"
#include "sim/world.h"

namespace conclave {

template <class P> class Traffic {
public:
    Traffic(const Adversary& adversary, std::uint64_t seed, std::size_t nodes)
        : adversary_(&adversary), dice_(seed) {
        if (!adversary.reorder && adversary.delay_least < adversary.delay_most) {
            last_on_link_.resize(nodes * nodes);
        }
        links_ = nodes;
    }

    // The world's side.
    template <class W> void send(W& world, Packet<P>&& packet) {
        const bool calm = adversary_->calm_at(world.now);
        if (!calm && dice_.chance(adversary_->loss)) return world.drop(packet, Loss::network);
        if (!calm && dice_.chance(adversary_->duplicate)) {
            world.announce_duplicate(packet);
            post(Packet<P>(packet));
        }
        post(std::move(packet));
    }
    void armed(std::uint32_t node, Instant due, std::uint32_t stamp) {
        alarms_.push(due, node, stamp);
    }
    Duration draw(Wait wait) { return dice_.between(wait.least, wait.most); }

    // The walker's side.
    Instant next_packet() const { return packets_.next_due(); }
    Instant next_alarm() const { return alarms_.next_due(); }
    Packet<P> take_packet() {
        Packet<P> packet = packets_.pop();
        own_in_flight_ -= is_own(packet);
        return packet;
    }
    Alarm take_alarm() { return alarms_.pop(); }
    // Messages of anything but a detector, whose beating never ends.
    std::size_t own_in_flight() const { return own_in_flight_; }
    std::size_t in_flight() const { return packets_.size(); }
    std::size_t alarms() const { return alarms_.size(); }
    template <class F> void each_packet(F visit) { packets_.each(visit); }
    template <class F> void each_packet(F visit) const { packets_.each(visit); }

private:
    static bool is_own(const Packet<P>& packet) {
        return Counts<P>::kinds[packet.message.index()] != Kind::detector;
    }
    void post(Packet<P>&& packet) {
        packet.due = packet.sent + dice_.between(adversary_->delay_least, adversary_->delay_most);
        if (!last_on_link_.empty()) {
            Instant& last = last_on_link_[packet.from * links_ + packet.to];
            last = packet.due = std::max(last, packet.due);
        }
        own_in_flight_ += is_own(packet);
        packets_.push(std::move(packet));
    }

    const Adversary* adversary_;
    Dice dice_;
    Calendar<Packet<P>> packets_;
    Alarms alarms_;
    std::vector<Instant> last_on_link_;  // only where links must keep the order of what they carry
    std::size_t links_ = 0;
    std::size_t own_in_flight_ = 0;
};

}  // namespace conclave
