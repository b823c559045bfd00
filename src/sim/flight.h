// sim/flight.h -- the agenda of a playback: messages that were sent, until a recording says that
// they arrived. Nothing is due here, nothing is drawn: what happened has happened.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/hash.h"
#include "sim/world.h"

namespace conclave {

template <class P> class Flight {
public:
    explicit Flight(std::vector<char> heard) : heard_(std::move(heard)) {
        links_.resize(heard_.size() * heard_.size());
    }

    std::vector<Packet<P>> unheard;  // to nodes without a recording: nobody knows what became of it

    // The world's side.
    template <class W> void send(W&, Packet<P>&& packet) {
        auto& way = heard_[packet.to] ? link(packet.from, packet.to) : unheard;
        way.push_back(std::move(packet));
    }
    void armed(std::uint32_t, Instant, std::uint32_t) {}
    Duration draw(Wait wait) { return wait.least; }
    template <class F> void each_packet(F visit) {
        for (auto& way : links_) std::ranges::for_each(way, visit);
    }

    // The message that has arrived, as it was sent; nothing if no recording has its sending. A link
    // keeps the order of what it carries: what was sent before it, and has not arrived, is lost.
    template <class F>
    std::optional<Packet<P>> take(std::uint32_t from, std::uint32_t to,
                                  const typename P::Message& message, F lost) {
        auto& way = link(from, to);
        const auto found = std::ranges::find_if(
            way, [&](const Packet<P>& packet) { return equal(packet.message, message); });
        if (found == way.end()) return std::nullopt;
        std::for_each(way.begin(), found, lost);
        std::optional<Packet<P>> taken(std::move(*found));
        way.erase(way.begin(), found + 1);
        return taken;
    }

private:
    std::vector<Packet<P>>& link(std::uint32_t from, std::uint32_t to) {
        return links_[from * heard_.size() + to];
    }

    std::vector<char> heard_;  // by place: whether the node has a recording
    std::vector<std::vector<Packet<P>>> links_;
};

}  // namespace conclave
