// check/repertoire.h -- everything that nodes can be and do, each worked out once.
//
// The local states of one node are few, and the global ones are combinations of them: so local
// states, packets and histories are kept once and known by their numbers, and a step of a node is
// looked up. Only a step never seen before is rehearsed in the real world. All threads share it;
// what has a number never changes, so only finding a number takes the lock, and each thread keeps
// those that it has found. Nobody holds the lock during a rehearsal: if two rehearse the same step,
// the second takes what the first has noted.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "check/rehearsal.h"
#include "check/stock.h"

namespace conclave {

template <class P> class Repertoire final : public Stock {
public:
    using Story = History<Top<P>>;

    Repertoire(const Setup<P>& setup, const Pace& pace, const Bounds& bounds, const Wishes& wishes)
        : Stock(setup.members, pace), setup_(setup), bounds_(bounds), wishes_(wishes) {}

    const Setup<P>& setup() const { return setup_; }
    const Resident<P>& resident(std::uint32_t number) const { return residents_[number]; }
    const Packet<P>& packet(std::uint32_t number) const { return packets_[number]; }
    const Story& past(std::uint32_t number) const { return pasts_[number]; }

    bool takes_turns() const override { return TakesTurns<Top<P>>; }
    bool knows_lives() const override { return setup_.incarnations; }
    std::uint32_t known_life(std::uint32_t resident, std::uint32_t peer) const override {
        for (const auto& [other, life] : residents_[resident].node.restarted) {
            if (other == peer) return static_cast<std::uint32_t>(life.value);
        }
        return 1;
    }

    std::uint32_t add(Resident<P> resident) {
        settle(resident, pace_);
        const std::scoped_lock lock(mutex_);
        return intern(std::move(resident));
    }
    std::uint32_t add(Outside outside) {
        const std::scoped_lock lock(mutex_);
        return outsides_.intern(std::move(outside));
    }
    std::uint32_t add_past() {
        const std::scoped_lock lock(mutex_);
        return pasts_.intern(Story{});
    }

    std::uint32_t find_step(std::uint32_t resident, std::uint32_t code) override {
        const std::uint32_t noted = look_up(step_memo_, resident, code);
        if (noted != Memo::unknown) return noted;
        std::vector<Outcome<P>> outcomes = work_out(residents_[resident], Occurrence::from(code));
        const std::scoped_lock lock(mutex_);
        const std::uint32_t known = step_memo_.find(resident, code);
        if (known != Memo::unknown) return known;
        const auto first = static_cast<std::uint32_t>(steps_.size());
        for (Outcome<P>& outcome : outcomes) note(outcome, resident, code, first);
        steps_[first].outcomes = static_cast<std::uint16_t>(outcomes.size());
        step_memo_.put(resident, code, first);
        return first;
    }
    std::uint32_t find_past(std::uint32_t past, std::uint32_t step) override {
        const std::uint32_t noted = look_up(past_memo_, past, step);
        if (noted != Memo::unknown) return noted;
        const Step& taken = steps_[step];
        const Occurrence what = Occurrence::from(taken.code);
        auto rehearsal = take_rehearsal();
        Story after = rehearsal->recall(residents_[taken.before], what, arriving(what),
                                        taken.number, pasts_[past]);
        const std::scoped_lock lock(mutex_);
        idle_.push_back(std::move(rehearsal));
        const std::uint32_t known = past_memo_.find(past, step);
        if (known != Memo::unknown) return known;
        const std::uint32_t number = pasts_.intern(std::move(after));
        past_memo_.put(past, step, number);
        return number;
    }
    std::uint32_t find_older_past(std::uint32_t past) override {
        const std::scoped_lock lock(mutex_);
        const std::uint32_t known = past_memo_.find(past, time_passes);
        if (known != Memo::unknown) return known;
        Story older = pasts_[past];
        const auto pass = [this](Instant& at) {
            at = std::max(at - pace_.tick, std::min(at, Instant{} - pace_.past));
        };
        for_each_leaf(older, pass);
        const std::uint32_t after = pasts_.intern(std::move(older));
        past_memo_.put(past, time_passes, after);
        return after;
    }
    std::uint32_t find_packet(std::uint32_t packet, Occurrence what) override {
        const std::scoped_lock lock(mutex_);
        const std::uint32_t known = packet_memo_.find(packet, what.code());
        if (known != Memo::unknown) return known;
        Packet<P> later = packets_[packet];
        if (what.what() == Happening::tick) {
            later.due = std::max(later.due - pace_.tick, Instant{});
        } else if (what.what() == Happening::renumber) {
            close_gaps(later.message, nonce_sets_[what.argument()]);
        } else {
            drop_request(later, what.argument());
        }
        const std::uint32_t after = intern(std::move(later));
        packet_memo_.put(packet, what.code(), after);
        return after;
    }
    std::uint32_t find_nonces(NonceSet used) override {
        const std::scoped_lock lock(mutex_);
        return nonce_sets_.intern(used);
    }
    std::uint32_t find_outside(std::uint32_t outside, std::uint32_t change) override {
        const std::scoped_lock lock(mutex_);
        const std::uint32_t known = outside_memo_.find(outside, change);
        if (known != Memo::unknown) return known;
        const std::uint32_t after =
            outsides_.intern(changed(outsides_[outside], change, setup_.members, bounds_));
        outside_memo_.put(outside, change, after);
        return after;
    }

    std::size_t residents() const { return residents_.size(); }
    std::size_t packets() const { return packets_.size(); }
    std::size_t bytes() const {
        const std::scoped_lock lock(mutex_);
        return residents_.bytes() + packets_.bytes() + pasts_.bytes() + outsides_.bytes() +
               steps_.bytes() + sent_.bytes() + step_memo_.bytes() + past_memo_.bytes();
    }

private:
    static constexpr std::uint32_t time_passes = UINT32_MAX;

    std::uint32_t look_up(const Memo& memo, std::uint32_t one, std::uint32_t other) const {
        const std::scoped_lock lock(mutex_);
        return memo.find(one, other);
    }
    std::unique_ptr<Rehearsal<P>> take_rehearsal() {
        const std::scoped_lock lock(mutex_);
        if (idle_.empty()) return std::make_unique<Rehearsal<P>>(setup_, pace_, wishes_);
        std::unique_ptr<Rehearsal<P>> one = std::move(idle_.back());
        idle_.pop_back();
        return one;
    }
    // All that can become of a resident.
    std::vector<Outcome<P>> work_out(const Resident<P>& before, Occurrence what) {
        if (what.is_arrival()) return rehearse(before, what);
        std::vector<Outcome<P>> outcomes(1);
        outcomes[0].after = before;
        Resident<P>& after = outcomes[0].after;
        if (what.what() == Happening::tick) {
            pass_tick(after, pace_);
        } else if (what.what() == Happening::renumber) {
            close_gaps(after.node, nonce_sets_[what.argument()]);
        } else if (what.what() == Happening::closed) {
            drop_request(after, what.argument());
        } else {
            return rehearse(before, what);
        }
        return outcomes;
    }
    std::vector<Outcome<P>> rehearse(const Resident<P>& before, Occurrence what) {
        auto rehearsal = take_rehearsal();
        std::vector<Outcome<P>> outcomes = rehearsal->perform(before, what, arriving(what));
        const std::scoped_lock lock(mutex_);
        idle_.push_back(std::move(rehearsal));
        return outcomes;
    }
    const Packet<P>* arriving(Occurrence what) const {
        return what.is_arrival() ? &packets_[what.packet()] : nullptr;
    }
    std::uint32_t intern(Resident<P> resident) {
        const std::uint32_t number = residents_.intern(std::move(resident));
        if (number == faces_.size()) {
            faces_.push_back(face_of(residents_[number], setup_.members, pace_, bounds_));
            if (faces_[number].nonces != 1) uses_nonces_ = true;
        }
        return number;
    }
    std::uint32_t intern(Packet<P> packet) {
        packet.sent = Instant{};
        const std::uint32_t number = packets_.intern(std::move(packet));
        if (number == packet_faces_.size()) {
            const Packet<P>& kept = packets_[number];
            packet_faces_.push_back(
                {static_cast<std::uint8_t>(kept.from), static_cast<std::uint8_t>(kept.to),
                 pace_.message > 0 && kept.due <= Instant{}, nonces_in(kept.message)});
        }
        return number;
    }
    void note(Outcome<P>& outcome, std::uint32_t resident, std::uint32_t code,
              std::uint32_t first) {
        Step step{.before = resident, .code = code};
        step.sent_at = static_cast<std::uint32_t>(sent_.size());
        step.sent = static_cast<std::uint16_t>(outcome.sent.size());
        for (Packet<P>& packet : outcome.sent) {
            packet.due = Instant(pace_.tick * pace_.message);
            sent_.push_back(intern(std::move(packet)));
        }
        step.next = intern(std::move(outcome.after));
        step.number = static_cast<std::uint16_t>(steps_.size() - first);
        step.tells = outcome.tells;
        step.saves = outcome.saves;
        step.closes = outcome.closes;
        steps_.push_back(step);
    }

    const Setup<P>& setup_;
    const Bounds bounds_;
    const Wishes& wishes_;
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Rehearsal<P>>> idle_;  // one for each thread that needed one
    Interned<Resident<P>> residents_;
    Interned<Packet<P>> packets_;
    Interned<Story> pasts_;
    Interned<NonceSet> nonce_sets_;
    Memo step_memo_, past_memo_, packet_memo_, outside_memo_;
};

}  // namespace conclave
