// check/visited.h -- the states seen so far, numbered in the order found.
//
// Either all of each state is kept, or only 64 bits of a hash: then two of n states are taken for
// one with a probability of at most n^2 / 2^65, and only the states yet to be expanded are kept.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "check/landscape.h"

namespace conclave {

// Records one after the other, in blocks that never move.
class Archive {
public:
    struct Record {
        std::uint32_t number;
        Sleep asleep;
        Code state;
        std::uint64_t next;  // where the one behind it begins
    };

    std::uint64_t append(std::uint32_t number, Code state, Sleep asleep = 0);
    Record at(std::uint64_t offset) const;
    void prefetch(std::uint64_t offset) const {
        __builtin_prefetch(blocks_[offset / block].get() + offset % block);
    }
    std::uint64_t end() const { return end_; }
    void forget_before(std::uint64_t offset);
    std::size_t bytes() const { return held_ * block; }

private:
    static constexpr std::uint64_t block = 1 << 20;

    std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
    std::vector<std::uint64_t> filled_;  // how far each block is; a record is never divided
    std::uint64_t end_ = 0;
    std::size_t held_ = 0, forgotten_ = 0;  // blocks
};

class Visited {
public:
    // Numbers are remembered only if asked for; otherwise a state that is not new has none.
    Visited(bool hashes_only, bool numbers);

    struct Found {
        std::uint32_t number;
        bool is_new;
    };
    // What is asleep is kept with a new state, to be read from the archive.
    Found insert(Code state, std::uint64_t hash, Sleep asleep = 0);
    // Said in time, they save the wait for memory: first where to look, then what is there.
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[start(hash)]); }
    void prefetch_record(std::uint64_t hash) const;

    std::uint32_t size() const { return size_; }
    const Archive& archive() const { return archive_; }
    // With hashes only: what lies before is expanded and not needed any more.
    void expanded_before(std::uint64_t offset) {
        if (hashes_only_) archive_.forget_before(offset);
    }
    std::size_t bytes() const { return table_bytes() + archive_.bytes(); }
    std::size_t table_bytes() const { return slots_.size() * 8 + numbers_.size() * 4; }
    // Of a table one size larger, beside the one that there is; zero while it is not near.
    std::size_t bytes_to_grow() const { return nearly_full() ? slots_.size() * 3 / 2 * 12 : 0; }

private:
    bool nearly_full() const { return size_ + size_ / 64 >= limit_; }
    // Scaled rather than masked, so that a table may have any size.
    std::size_t start(std::uint64_t hash) const {
        return static_cast<std::size_t>((hash >> 32) * slots_.size() >> 32);
    }
    bool matches(std::uint64_t slot, Code state, std::uint64_t hash) const;
    void grow();

    bool hashes_only_, numbered_;
    std::uint32_t size_ = 0;
    std::size_t limit_ = 0;  // states that fit
    // A slot is the hash itself; or the low bits of it before the offset of the record. 0: empty.
    std::vector<std::uint64_t> slots_;
    std::vector<std::uint32_t> numbers_;  // of the slots, with hashes only
    Archive archive_;
};

}  // namespace conclave
