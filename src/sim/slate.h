// sim/slate.h -- the agenda of a script: what is pending, in plain lists, for the script to pick.
//
// Nothing here is drawn: a message takes the least delay, a timer the least wait. A script loses
// and doubles by name.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/world.h"

namespace conclave {

template <class P> class Slate {
public:
    struct Alarm {
        Instant due;
        std::uint32_t node = 0, stamp = 0;
    };

    explicit Slate(Duration delay) : delay_(delay) {}

    std::vector<Packet<P>> packets;  // in the order sent
    std::vector<Alarm> alarms;       // in the order armed; the node knows which still count

    // The world's side.
    template <class W> void send(W&, Packet<P>&& packet) {
        packet.due = packet.sent + delay_;
        packets.push_back(std::move(packet));
    }
    void armed(std::uint32_t node, Instant due, std::uint32_t stamp) {
        alarms.push_back({due, node, stamp});
    }
    Duration draw(Wait wait) { return wait.least; }

    // The clockwork's side: what is due first, and of that what came first.
    Instant next_packet() const { return next(packets); }
    Instant next_alarm() const { return next(alarms); }
    Packet<P> take_packet() { return take(packets, first(packets)); }
    Alarm take_alarm() { return take(alarms, first(alarms)); }

    // The script's side.
    template <class F> void keep_alarms(F counts) {
        std::erase_if(alarms, [&](const Alarm& alarm) { return !counts(alarm); });
    }
    template <class F> void each_packet(F visit) { std::ranges::for_each(packets, visit); }
    Packet<P> take_packet(std::size_t at) { return take(packets, at); }
    std::size_t own_in_flight() const {
        return static_cast<std::size_t>(std::ranges::count_if(packets, [](const Packet<P>& packet) {
            return Counts<P>::kinds[packet.message.index()] != Kind::detector;
        }));
    }

private:
    template <class T> static std::size_t first(const std::vector<T>& list) {
        return static_cast<std::size_t>(std::ranges::min_element(list, {}, &T::due) - list.begin());
    }
    template <class T> static Instant next(const std::vector<T>& list) {
        return list.empty() ? Instant::max() : list[first(list)].due;
    }
    template <class T> static T take(std::vector<T>& list, std::size_t at) {
        T taken = std::move(list[at]);
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
        return taken;
    }

    Duration delay_;
};

}  // namespace conclave
