// check/stock.h -- what the explorer must know of an algorithm's repertoire: numbers and faces.
//
// Nothing here depends on the algorithm, so that what can happen in a world is compiled once.
#pragma once
#include <atomic>
#include <cstdint>

#include "check/face.h"
#include "check/interned.h"
#include "check/moment.h"
#include "check/occurrence.h"
#include "check/outside.h"

namespace conclave {

struct Step {
    std::uint32_t next = 0;              // the resident afterwards
    std::uint32_t before = 0, code = 0;  // what led to it
    std::uint32_t sent_at = 0;           // the packets it sends, in order
    std::uint16_t sent = 0;
    std::uint16_t number = 0, outcomes = 1;  // which of how many; they stand in a row
    bool tells = false, saves = false, closes = false;
};

struct PacketFace {
    std::uint8_t from = 0, to = 0;
    bool overdue = false;
    NonceSet nonces = 1;
};

class Stock {
public:
    Stock(const MemberList& members, const Pace& pace) : members_(members), pace_(pace) {}
    virtual ~Stock() = default;
    Stock(const Stock&) = delete;
    Stock& operator=(const Stock&) = delete;

    const MemberList& members() const { return members_; }
    const Pace& pace() const { return pace_; }
    const Face& face(std::uint32_t resident) const { return faces_[resident]; }
    const PacketFace& packet_face(std::uint32_t packet) const { return packet_faces_[packet]; }
    const Outside& outside(std::uint32_t number) const { return outsides_[number]; }
    const Step& step(std::uint32_t number) const { return steps_[number]; }
    std::uint32_t sent(std::size_t at) const { return sent_[at]; }
    bool uses_nonces() const { return uses_nonces_.load(std::memory_order_relaxed); }

    virtual bool takes_turns() const = 0;
    virtual bool knows_lives() const = 0;  // the envelope's fix is on
    // Which life of its peer the resident knows of.
    virtual std::uint32_t known_life(std::uint32_t resident, std::uint32_t peer) const = 0;

    // The first of the steps that this can lead to.
    virtual std::uint32_t find_step(std::uint32_t resident, std::uint32_t code) = 0;
    virtual std::uint32_t find_past(std::uint32_t past, std::uint32_t step) = 0;
    // The same past, a tick longer ago.
    virtual std::uint32_t find_older_past(std::uint32_t past) = 0;
    // A packet after a tick, after a request was closed, or with its nonces renumbered.
    virtual std::uint32_t find_packet(std::uint32_t packet, Occurrence what) = 0;
    virtual std::uint32_t find_nonces(NonceSet used) = 0;
    virtual std::uint32_t find_outside(std::uint32_t outside, std::uint32_t change) = 0;

protected:
    const MemberList& members_;
    const Pace pace_;
    Steady<Face> faces_;
    Steady<PacketFace> packet_faces_;
    Interned<Outside> outsides_;
    Steady<Step> steps_;
    Steady<std::uint32_t> sent_;
    std::atomic<bool> uses_nonces_ = false;  // most algorithms have none
};

// What the properties say of a moment: one bit for each that finds something wrong.
class Opinions {
public:
    virtual ~Opinions() = default;
    virtual std::uint64_t broken(const Moment& moment) = 0;
};

}  // namespace conclave
