// check/crossing.h -- from one moment to the next: what a choice makes of it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "check/choice.h"
#include "check/moment.h"
#include "check/sleep.h"
#include "check/stock.h"

namespace conclave {

class Crossing {
public:
    // `fifo`: links keep the order of what they carry. `bounded_time`: ticks are counted down.
    // `reduce`: ways may sleep.
    Crossing(Stock& stock, bool fifo, bool bounded_time, bool reduce)
        : stock_(stock),
          fifo_(fifo),
          bounded_time_(bounded_time),
          reduce_(reduce),
          nodes_(static_cast<std::uint32_t>(stock.members().size())),
          sleepers_(nodes_) {
        now_.residents.resize(nodes_);
    }

    bool fault = false;  // what is chosen now is nothing to rely on

    // The moment that all choices are made in; they go into the fan, and are told if wanted.
    void begin(Code state, Sleep asleep, Fan& fan, std::vector<Choice>* told) {
        fan_ = &fan;
        told_ = told;
        sleepers_.enter(asleep);
        now_.read(state);
        outside_ = &stock_.outside(now_.outside);
        somebody_down_ = false;
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            faces_[at] = stock_.face(now_.residents[at]);
            somebody_down_ = somebody_down_ || !faces_[at].up;
        }
    }
    std::uint32_t nodes() const { return nodes_; }
    const Moment& now() const { return now_; }
    const Face& face(std::uint32_t at) const { return faces_[at]; }
    const Outside& outside() const { return *outside_; }
    bool acts(std::uint32_t at) const { return faces_[at].up && !faces_[at].paused; }
    bool is_cut(std::uint32_t from, std::uint32_t to) const {
        if (outside_->cuts.links.empty()) return false;
        const auto& members = stock_.members();
        return outside_->cuts.contains(members[from].node, members[to].node);
    }
    // Packets that are alike as far as the order of arrival goes: equal ones, or those on one link.
    std::uint32_t order(std::uint32_t packet) const {
        if (!fifo_) return packet;
        const PacketFace& face = stock_.packet_face(packet);
        return face.from * nodes_ + face.to;
    }

    // --- Choices. ---

    void boot(std::uint32_t at, bool does) {
        changes_ = {outside::boot};
        if (does) {
            const Occurrence restart = Occurrence::of(Happening::restart);
            take(at, restart, step_of(now_.residents[at], restart.code()), Choice::Kind::boot);
        } else {
            next_ = now_;
            arrive(at, {Choice::Kind::boot, at});
        }
        changes_.clear();
    }
    // It happens; and, as long as there is budget for that, its Save is torn. Not that of a node
    // that boots: a crash before its first word is one like any other.
    void happen(std::uint32_t at, Occurrence what) {
        const std::uint32_t first = step_of(now_.residents[at], what.code());
        const Step& step = stock_.step(first);
        mover_ = reduce_ ? sleeper(at, what, step) : std::nullopt;
        if (mover_ && sleepers_.is_asleep(*mover_)) {
            ++fan_->possible;
        } else {
            take(at, what, first, Choice::Kind::happen);
        }
        if (mover_) sleepers_.pass(*mover_);
        mover_.reset();
        const bool boots = !faces_[at].up;
        if (!step.saves || boots || !outside_->budget.has(Spend::torn)) return;
        const bool before = std::exchange(fault, true);
        changes_.push_back(outside::pay(Spend::torn));
        const Occurrence torn = what.with_torn_save();
        take(at, torn, step_of(now_.residents[at], torn.code()), Choice::Kind::happen);
        changes_.pop_back();
        fault = before;
    }
    void pay(Spend price, std::uint32_t at, Occurrence what) {
        if (!outside_->budget.has(price)) return;
        changes_ = {outside::pay(price)};
        happen(at, what);
        changes_.clear();
    }
    // Nothing to pay for, but not to be foreseen either.
    void disturb(std::uint32_t at, Occurrence what) {
        if (bounded_time_) changes_ = {outside::disturb};
        happen(at, what);
        changes_.clear();
    }
    void deliver(std::size_t index) {
        const std::uint32_t packet = now_.packets[index];
        const PacketFace& face = stock_.packet_face(packet);
        taken_ = index;
        if (is_cut(face.from, face.to)) {
            next_ = now_;
            remove_taken();
            arrive(face.to, {Choice::Kind::happen, face.to, Occurrence::arrival(packet)});
        } else {
            happen(face.to, Occurrence::arrival(packet));
        }
        taken_.reset();
    }
    void lose(std::size_t index) {
        next_ = now_;
        taken_ = index;
        remove_taken();
        taken_.reset();
        change(outside::pay(Spend::loss),
               {.kind = Choice::Kind::lose, .packet = now_.packets[index]});
    }
    void duplicate(std::size_t index) {
        next_ = now_;
        const std::uint32_t packet = now_.packets[index];
        next_.packets.insert(next_.packets.begin() + static_cast<std::ptrdiff_t>(index), packet);
        change(outside::pay(Spend::duplicate), {.kind = Choice::Kind::duplicate, .packet = packet});
    }
    void change_outside(std::uint32_t what) {
        next_ = now_;
        change(what, {.kind = Choice::Kind::outside, .packet = what});
    }
    void pass_tick() {
        const Occurrence tick = Occurrence::of(Happening::tick);
        next_ = now_;
        for (std::uint32_t& resident : next_.residents) resident = after(resident, tick);
        next_.past = look_up(pasts_, now_.past, UINT32_MAX,
                             [&] { return stock_.find_older_past(now_.past); });
        if (stock_.pace().message > 0) change_packets(tick);
        if (bounded_time_) changes_ = {outside::tick};
        arrive(nodes_, {Choice::Kind::tick});
        changes_.clear();
    }

private:
    // Whether this may sleep: it concerns one node and what it sends, can come out in one way only,
    // and leads to where others can still move. Renumbered nonces concern everybody.
    std::optional<Sleeper> sleeper(std::uint32_t at, Occurrence what, const Step& step) const {
        const Face& after = stock_.face(step.next);
        if (!changes_.empty() || stock_.uses_nonces()) return std::nullopt;
        if (step.outcomes > 1 || step.closes || !after.up || after.beyond) return std::nullopt;
        if (step.saves && outside_->budget.has(Spend::torn)) return std::nullopt;
        Sleeper one{.at = at, .tells = step.tells};
        if (what.is_arrival()) {
            one.bit = sleepers_.arrival_bit(*taken_);
            one.packet = what.packet();
        } else if (what.what() == Happening::begin) {
            one.bit = sleepers_.begin_bit(at);
        } else if (what.what() == Happening::leave) {
            one.bit = sleepers_.leave_bit(at);
        } else {
            return std::nullopt;
        }
        return one;
    }
    void take(std::uint32_t at, Occurrence what, std::uint32_t first, Choice::Kind kind) {
        const std::uint32_t outcomes = stock_.step(first).outcomes;
        for (std::uint32_t step = first; step < first + outcomes; ++step) {
            follow(at, step);
            arrive(at, {kind, at, what});
        }
    }
    // The next moment, but for what changes outside.
    void follow(std::uint32_t at, std::uint32_t number) {
        const Step& step = stock_.step(number);
        next_ = now_;
        if (taken_) remove_taken();
        next_.residents[at] = step.next;
        if (step.tells) {
            next_.past = look_up(pasts_, now_.past, number,
                                 [&] { return stock_.find_past(now_.past, number); });
        }
        for (std::uint32_t sent = 0; sent < step.sent; ++sent) {
            const std::uint32_t packet = stock_.sent(step.sent_at + sent);
            const PacketFace& face = stock_.packet_face(packet);
            if (!is_cut(face.from, face.to)) insert(packet);
        }
        if (step.closes) close_request(at);
    }
    void insert(std::uint32_t packet) {
        const auto place = std::ranges::upper_bound(
            next_.packets, order(packet), {}, [this](std::uint32_t one) { return order(one); });
        next_.packets.insert(place, packet);
    }
    void remove_taken() {
        next_.packets.erase(next_.packets.begin() + static_cast<std::ptrdiff_t>(*taken_));
    }
    void close_request(std::uint32_t of) {
        const Occurrence closed = Occurrence::of(Happening::closed, of);
        for (std::uint32_t at = 0; at < nodes_; ++at) {
            if (at != of) next_.residents[at] = after(next_.residents[at], closed);
        }
        change_packets(closed);
    }
    void change_packets(Occurrence what) {
        for (std::uint32_t& packet : next_.packets) {
            packet = look_up(packets_, packet, what.code(),
                             [&] { return stock_.find_packet(packet, what); });
        }
        if (!fifo_) std::ranges::sort(next_.packets);
    }
    void renumber_nonces() {
        NonceSet used = 1;
        for (std::uint32_t resident : next_.residents) used |= stock_.face(resident).nonces;
        for (std::uint32_t packet : next_.packets) used |= stock_.packet_face(packet).nonces;
        if (!has_gaps(used)) return;
        const auto low = static_cast<std::uint32_t>(used);
        const auto high = static_cast<std::uint32_t>(used >> 32);
        const Occurrence what =
            Occurrence::of(Happening::renumber,
                           look_up(nonces_, low, high, [&] { return stock_.find_nonces(used); }));
        for (std::uint32_t& resident : next_.residents) resident = after(resident, what);
        change_packets(what);
    }
    void change(std::uint32_t what, const Choice& choice) {
        changes_ = {what};
        arrive(nodes_, choice);
        changes_.clear();
    }
    // What is for a node that is gone for good may as well be gone, too: it can do nothing any
    // more, and no property sees it.
    void forget_undeliverable(std::uint32_t actor) {
        const bool left = actor < nodes_ && !stock_.face(next_.residents[actor]).up;
        if (!somebody_down_ && !left) return;
        const Outside& outside = stock_.outside(next_.outside);
        if (!outside.budget.nobody_returns() || outside.booted < nodes_) return;
        std::erase_if(next_.packets, [this](std::uint32_t packet) {
            const std::uint8_t to = stock_.packet_face(packet).to;
            return !stock_.face(next_.residents[to]).up;
        });
    }
    void arrive(std::uint32_t actor, const Choice& choice) {
        for (std::uint32_t change : changes_) {
            const std::uint32_t before = next_.outside;
            next_.outside = look_up(outsides_, before, change,
                                    [&] { return stock_.find_outside(before, change); });
        }
        forget_undeliverable(actor);
        if (stock_.uses_nonces()) renumber_nonces();
        Fan::Way way;
        way.at = static_cast<std::uint32_t>(fan_->used);
        fan_->used = next_.write(fan_->bytes, fan_->used);
        way.length = static_cast<std::uint16_t>(fan_->used - way.at);
        way.hash = hash_bytes(fan_->state(way));
        way.actor = static_cast<std::uint8_t>(actor);
        way.fault = fault;
        way.number = static_cast<std::uint16_t>(fan_->possible++);
        if (mover_) way.asleep = sleepers_.after(*mover_, next_.packets);
        fan_->ways.push_back(way);
        if (told_) told_->push_back(choice);
    }

    std::uint32_t after(std::uint32_t resident, Occurrence what) {
        return stock_.step(step_of(resident, what.code())).next;
    }
    std::uint32_t step_of(std::uint32_t resident, std::uint32_t code) {
        return look_up(steps_, resident, code, [&] { return stock_.find_step(resident, code); });
    }
    template <class F>
    static std::uint32_t look_up(Memo& memo, std::uint32_t a, std::uint32_t b, F find) {
        const std::uint32_t known = memo.find(a, b);
        if (known != Memo::unknown) return known;
        const std::uint32_t found = find();
        memo.put(a, b, found);
        return found;
    }

    static constexpr std::size_t most_nodes = 32;

    Stock& stock_;
    const bool fifo_, bounded_time_, reduce_;
    const std::uint32_t nodes_;
    Sleepers sleepers_;
    std::optional<Sleeper> mover_;  // what is taken now, if it may sleep
    Moment now_, next_;
    const Outside* outside_ = nullptr;
    std::array<Face, most_nodes> faces_{};
    bool somebody_down_ = false;
    Fan* fan_ = nullptr;
    std::vector<Choice>* told_ = nullptr;
    std::optional<std::size_t> taken_;                  // the packet that arrives
    Small<std::uint32_t, 2> changes_;                   // of the outside
    Memo steps_, pasts_, packets_, outsides_, nonces_;  // of the stock's, without its lock
};

}  // namespace conclave
