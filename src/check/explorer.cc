// check/explorer.cc -- the search. One thread keeps the books, all expand.
#include "check/explorer.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <utility>

namespace conclave {

// States to expand, and where each leads.
struct Explorer::Batch {
    std::vector<Archive::Record> origins{};
    std::vector<Fan> fans{};
    std::atomic<std::uint32_t> left{0};  // bites to be expanded
};

// Batches are expanded by all threads, bite by bite, and absorbed by our own in the order in which
// they were gathered. There are several under way, so that a thread that must wait for its turn on
// a busy machine still finds something to do when it comes.
class Explorer::Crew {
public:
    Crew(Landscape& landscape, std::uint32_t threads, bool reduce)
        : batches_(threads > 1 ? 8 : 1),
          bites_(threads > 1 ? 64 : 4),
          own_(landscape.scout(reduce)) {
        for (std::uint32_t one = 1; one < threads; ++one) {
            threads_.emplace_back([this, scout = landscape.scout(reduce)] { work(*scout); });
        }
    }
    ~Crew() {
        ended_ = true;
        signal();
        for (std::thread& thread : threads_) thread.join();
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    std::size_t batch_size() const { return bites_ * bite; }
    // Where to gather the next batch, if there is room for one.
    Batch* room() { return gathered_ - absorbed_ < batches_.size() ? &batch(gathered_) : nullptr; }
    void start(Batch& batch) {
        batch.left = bites_;
        ++gathered_;
        offered_ += bites_;
        signal();
    }
    // The one that was started first, expanded; nothing if there is none.
    Batch* finish() {
        if (absorbed_ == gathered_) return nullptr;
        Batch& first = batch(absorbed_);
        for (std::uint32_t left = first.left; left != 0; left = first.left) {
            if (!take_bite(*own_)) first.left.wait(left);
        }
        return &first;
    }
    void absorbed() { ++absorbed_; }

private:
    static constexpr std::size_t bite = 16;  // states

    Batch& batch(std::uint64_t number) { return batches_[number % batches_.size()]; }
    void signal() {
        ++signals_;
        signals_.notify_all();
    }
    void work(Scout& scout) {
        for (;;) {
            const std::uint32_t seen = signals_;  // before looking: what comes after is not missed
            if (ended_) return;
            if (!take_bite(scout)) signals_.wait(seen);
        }
    }
    // False if there is none left to take.
    bool take_bite(Scout& scout) {
        std::uint64_t number = taken_;
        do {
            if (number == offered_) return false;
        } while (!taken_.compare_exchange_weak(number, number + 1));
        Batch& mine = batch(number / bites_);
        const std::size_t from = number % bites_ * bite;
        const std::size_t to = std::min(from + bite, mine.origins.size());
        for (std::size_t at = from; at < to; ++at) {
            scout.expand(mine.origins[at].state, mine.origins[at].asleep, mine.fans[at]);
        }
        if (--mine.left == 0) mine.left.notify_all();
        return true;
    }

    std::vector<Batch> batches_;
    const std::uint32_t bites_;  // of a batch
    const std::unique_ptr<Scout> own_;
    std::uint64_t gathered_ = 0, absorbed_ = 0;         // batches
    std::atomic<std::uint64_t> offered_{0}, taken_{0};  // bites
    std::atomic<std::uint32_t> signals_{0};
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
};

Explorer::Explorer(Landscape& landscape, const Limits& limits, std::uint32_t most_depth,
                   Progress progress)
    : landscape_(landscape),
      limits_(limits),
      most_depth_(most_depth),
      progress_(std::move(progress)),
      demands_(landscape.demands()),
      endless_(limits.judges_endless() && std::ranges::any_of(demands_, of_endless_runs)),
      reduce_(!endless_ && !limits.depth_first && !limits.every_way),
      visited_(limits.hashes_only, endless_) {
    for (std::size_t at = 0; at < demands_.size(); ++at) {
        if (demands_[at] == Demand::always) always_ |= std::uint64_t{1} << at;
        if (demands_[at] == Demand::settled) settled_ |= std::uint64_t{1} << at;
    }
}

Explorer::~Explorer() = default;

Findings Explorer::run() {
    began_ = std::chrono::steady_clock::now();
    limits_.depth_first ? depth_first() : breadth_first();
    found_.complete = !stopped_;
    if (endless_ && found_.broken.empty()) judge_endless();
    within_limits();  // the last count
    return std::move(found_);
}

// What is found while a level is still being absorbed is gathered at once: in a world of many small
// levels the threads would else spend their time waiting for the last of each. In whatever batches,
// states are absorbed in the order in which they were found.
void Explorer::breadth_first() {
    const std::vector<std::uint8_t> start = landscape_.start();
    visited_.insert(start, hash_bytes(start));
    parents_.push_back(0);
    ways_.push_back(0);
    level_end_ = visited_.size();
    Crew crew(landscape_, limits_.threads, reduce_);
    while (!stopped_ && !ended_) {
        for (Batch* batch = crew.room(); batch; batch = crew.room()) {
            if (!gather(*batch, crew.batch_size())) break;
            crew.start(*batch);
        }
        Batch* batch = crew.finish();
        if (!batch) return;
        absorb(*batch);
        visited_.expanded_before(batch->origins.back().next);
        crew.absorbed();
    }
}

// False if there is nothing to expand. A share of what there is, so that the next batch can be
// expanded while this one is absorbed.
bool Explorer::gather(Batch& batch, std::size_t most) {
    constexpr std::size_t least = 64, shares = 4;
    const std::size_t waiting = visited_.size() - gathered_;
    const std::size_t size = std::min({waiting, most, std::max(least, waiting / shares)});
    batch.origins.clear();
    while (batch.origins.size() < size) {
        batch.origins.push_back(visited_.archive().at(cursor_));
        cursor_ = batch.origins.back().next;
    }
    gathered_ += static_cast<std::uint32_t>(size);
    if (batch.fans.size() < size) batch.fans.resize(size);
    return size > 0;
}

void Explorer::absorb(Batch& batch) {
    for (std::size_t at = 0; at < batch.origins.size() && !stopped_; ++at) {
        if (at + 2 < batch.origins.size()) {
            for (const Fan::Way& way : batch.fans[at + 2].ways) visited_.prefetch(way.hash);
        }
        if (at + 1 < batch.origins.size()) {
            for (const Fan::Way& way : batch.fans[at + 1].ways) visited_.prefetch_record(way.hash);
        }
        if (batch.origins[at].number == level_end_ && !begin_level()) return;
        absorb_state(batch.origins[at].number, batch.fans[at]);
    }
    if (!within_limits()) stopped_ = true;
}

// All of the next level has been found. False if it is too deep.
bool Explorer::begin_level() {
    level_end_ = visited_.size();
    ++found_.depth;
    ended_ = found_.depth == most_depth_;
    found_.bounded = found_.bounded || ended_;
    return !ended_;
}

void Explorer::absorb_state(std::uint32_t number, const Fan& fan) {
    if (endless_) graph_.add_state(fan.broken, fan.cut);
    look(fan, [&] { return path_to(number); });
    assert(fan.possible <= UINT16_MAX);
    found_.transitions += fan.possible;
    found_.asleep += fan.possible - fan.ways.size();
    for (std::size_t way = 0; way < fan.ways.size(); ++way) lead_to(number, way, fan);
}

void Explorer::lead_to(std::uint32_t from, std::size_t way, const Fan& fan) {
    const Fan::Way& taken = fan.ways[way];
    const auto [number, is_new] = visited_.insert(fan.state(taken), taken.hash, taken.asleep);
    if (endless_ && !taken.fault) graph_.add_edge(number, taken.actor);
    if (!is_new) return;
    parents_.push_back(from);
    ways_.push_back(taken.number);
}

// What a single state tells.
void Explorer::look(const Fan& fan, const std::function<Path()>& path) {
    found_.bounded = found_.bounded || fan.cut;
    if (fan.judged) found_.seen |= ~fan.broken;
    const std::uint64_t wrong = fan.broken & (fan.late ? always_ | settled_ : always_);
    if (wrong == 0) return;
    stopped_ = true;
    for (std::size_t at = 0; at < demands_.size(); ++at) {
        if (wrong >> at & 1U) found_.broken.push_back({at, path()});
    }
}

void Explorer::judge_endless() {
    const Graph::Ends ends = graph_.ends();
    for (std::size_t at = 0; at < demands_.size(); ++at) {
        std::optional<std::uint32_t> bad;
        if (demands_[at] == Demand::settled && landscape_.timed()) {
            bad = graph_.find_unsettled(ends, at);
        } else if (demands_[at] == Demand::settled || demands_[at] == Demand::recoverable) {
            bad = graph_.find_unrecoverable(ends, at);
        } else if (demands_[at] == Demand::eventually) {
            bad = graph_.find_fair_cycle(at);
        }
        if (bad) found_.broken.push_back({at, path_to(*bad)});
    }
}

bool Explorer::within_limits() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    found_.states = visited_.size();
    found_.seconds = spent.count();
    found_.table_bytes = visited_.table_bytes();
    found_.bytes =
        visited_.bytes() + graph_.bytes() + parents_.bytes() + ways_.bytes() + landscape_.bytes();
    if (progress_) progress_(found_);
    return found_.states < limits_.states &&
           found_.bytes + visited_.bytes_to_grow() < limits_.bytes;
}

Path Explorer::path_to(std::uint32_t state) const {
    Path path;
    for (; state != 0; state = parents_[state]) path.push_back(ways_[state]);
    std::ranges::reverse(path);
    return path;
}

// Each state is left by its first way before its second is looked at. The memory is that of the
// table and of the ways not yet taken from the states on the path.
void Explorer::depth_first() {
    const std::unique_ptr<Scout> scout = landscape_.scout(false);
    struct Frame {
        Fan fan{};
        std::size_t next = 0;
    };
    std::vector<Frame> frames(1);
    std::size_t depth = 1;
    const auto path = [&] {
        Path taken;
        for (std::size_t at = 0; at + 1 < depth; ++at) {
            taken.push_back(static_cast<std::uint16_t>(frames[at].next - 1));
        }
        return taken;
    };
    const std::vector<std::uint8_t> start = landscape_.start();
    visited_.insert(start, hash_bytes(start));
    scout->expand(start, 0, frames[0].fan);
    look(frames[0].fan, path);
    while (depth > 0 && !stopped_) {
        Frame& frame = frames[depth - 1];
        if (frame.next == frame.fan.ways.size()) {
            --depth;
            continue;
        }
        const Fan::Way& way = frame.fan.ways[frame.next++];
        ++found_.transitions;
        if (!visited_.insert(frame.fan.state(way), way.hash).is_new) continue;
        if (++depth > frames.size()) frames.resize(2 * frames.size());
        Frame& deeper = frames[depth - 1];
        deeper.next = 0;
        scout->expand(
            frames[depth - 2].fan.state(frames[depth - 2].fan.ways[frames[depth - 2].next - 1]), 0,
            deeper.fan);
        look(deeper.fan, path);
        found_.depth = std::max(found_.depth, static_cast<std::uint32_t>(depth));
        visited_.expanded_before(visited_.archive().end());
        if (visited_.size() % 4096 == 0 && !within_limits()) stopped_ = true;
    }
}

}  // namespace conclave
