// check/visited.cc -- an open table with linear probing, at most four fifths full.
#include "check/visited.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "core/hash.h"

namespace conclave {

std::uint64_t hash_bytes(Code bytes) {
    std::uint64_t hash = detail::prime3 ^ bytes.size();
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    for (; left >= 8; left -= 8, at += 8) {
        std::uint64_t word;
        std::memcpy(&word, at, 8);
        detail::absorb_word(hash, word);
    }
    std::uint64_t word = 0;
    std::memcpy(&word, at, left);
    detail::absorb_word(hash, word);
    return detail::finish(hash);
}

// --- The archive. ---

namespace {

// Behind it as many bytes of the set of sleepers as it needs, then the state.
struct Head {
    std::uint32_t number;
    std::uint16_t length;  // of the state, and above that of the set
};
constexpr std::size_t head_size = 6;
constexpr unsigned length_bits = 12;
constexpr std::size_t longest = (1U << length_bits) - 1;

}  // namespace

std::uint64_t Archive::append(std::uint32_t number, Code state, Sleep asleep) {
    const std::size_t sleep_size = (static_cast<std::size_t>(std::bit_width(asleep)) + 7) / 8;
    const std::uint64_t need = head_size + sleep_size + state.size();
    assert(state.size() <= longest);
    const std::uint64_t room = block - end_ % block;
    if (end_ == blocks_.size() * block || room < need) {
        end_ = blocks_.size() * block;
        blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(block));
        filled_.push_back(0);
        ++held_;
    }
    const std::uint64_t offset = end_;
    std::uint8_t* at = blocks_[offset / block].get() + offset % block;
    const Head head{number, static_cast<std::uint16_t>(sleep_size << length_bits | state.size())};
    std::memcpy(at, &head, head_size);
    at += head_size;
    for (; asleep != 0; asleep >>= 8) *at++ = static_cast<std::uint8_t>(asleep);
    std::memcpy(at, state.data(), state.size());
    end_ += need;
    filled_.back() += need;
    return offset;
}

Archive::Record Archive::at(std::uint64_t offset) const {
    if (offset % block >= filled_[offset / block]) offset = (offset / block + 1) * block;
    Head head{};
    std::memcpy(&head, blocks_[offset / block].get() + offset % block, head_size);
    const std::uint8_t* sleep = blocks_[offset / block].get() + offset % block + head_size;
    const std::size_t sleep_size = head.length >> length_bits, length = head.length & longest;
    Sleep asleep = 0;
    for (std::size_t at = sleep_size; at-- > 0;) asleep = asleep << 8 | sleep[at];
    return {head.number,
            asleep,
            {sleep + sleep_size, length},
            offset + head_size + sleep_size + length};
}

void Archive::forget_before(std::uint64_t offset) {
    for (; forgotten_ < offset / block; ++forgotten_, --held_) blocks_[forgotten_].reset();
}

// --- The table. ---

namespace {

constexpr unsigned offset_bits = 40;
constexpr std::uint64_t offset_mask = (std::uint64_t{1} << offset_bits) - 1;

std::uint64_t tag_of(std::uint64_t hash) { return hash << offset_bits; }

}  // namespace

Visited::Visited(bool hashes_only, bool numbers)
    : hashes_only_(hashes_only), numbered_(hashes_only && numbers) {
    grow();
}

bool Visited::matches(std::uint64_t slot, Code state, std::uint64_t hash) const {
    if (hashes_only_) return slot == hash;
    if ((slot & ~offset_mask) != tag_of(hash)) return false;
    return std::ranges::equal(archive_.at((slot & offset_mask) - 1).state, state);
}

void Visited::prefetch_record(std::uint64_t hash) const {
    const std::uint64_t slot = slots_[start(hash)];
    if (!hashes_only_ && slot != 0) archive_.prefetch((slot & offset_mask) - 1);
}

Visited::Found Visited::insert(Code state, std::uint64_t hash, Sleep asleep) {
    if (hash == 0) hash = 1;  // 0 is an empty slot
    if (size_ == limit_) grow();
    std::size_t at = start(hash);
    while (slots_[at] != 0) {
        if (matches(slots_[at], state, hash)) {
            if (hashes_only_) return {numbered_ ? numbers_[at] : 0, false};
            return {archive_.at((slots_[at] & offset_mask) - 1).number, false};
        }
        if (++at == slots_.size()) at = 0;
    }
    const std::uint64_t offset = archive_.append(size_, state, asleep);
    slots_[at] = hashes_only_ ? hash : tag_of(hash) | (offset + 1);
    if (numbered_) numbers_[at] = size_;
    return {size_++, true};
}

void Visited::grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 1 << 12 : slots_.size() * 3 / 2);
    std::vector<std::uint32_t> old_numbers(numbered_ ? old.size() : 0);
    old.swap(slots_);
    old_numbers.swap(numbers_);
    limit_ = slots_.size() / 5 * 4;
    for (std::size_t from = 0; from < old.size(); ++from) {
        if (old[from] == 0) continue;
        const std::uint64_t hash =
            hashes_only_ ? old[from] : hash_bytes(archive_.at((old[from] & offset_mask) - 1).state);
        std::size_t at = start(hash);
        while (slots_[at] != 0) {
            if (++at == slots_.size()) at = 0;
        }
        slots_[at] = old[from];
        if (numbered_) numbers_[at] = old_numbers[from];
    }
}

}  // namespace conclave
