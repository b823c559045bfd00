// core/node_set.h -- a set of nodes, one bit each.
//
// Ids are meant to be small numbers close together: 0..127 live inside the set, and beyond that it
// takes one bit for every id up to the largest. Whoever lets ids in from outside checks them
// against the members first. The words never end in a zero word, so equal sets have equal words.
#pragma once
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>

#include "core/small.h"
#include "core/types.h"

namespace conclave {

class NodeSet {
public:
    using Words = Small<std::uint64_t, 2>;
    class Iterator;
    using value_type = NodeId;
    using iterator = Iterator;
    using const_iterator = Iterator;

    NodeSet() = default;
    NodeSet(std::initializer_list<NodeId> nodes) {
        for (NodeId node : nodes) insert(node);
    }

    bool empty() const { return words_.empty(); }
    std::size_t size() const {
        std::size_t count = 0;
        for (std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
        return count;
    }
    bool contains(NodeId node) const {
        return word_of(node) < words_.size() && (words_[word_of(node)] & bit_of(node)) != 0;
    }

    bool insert(NodeId node) {  // whether it is new
        if (contains(node)) return false;
        if (words_.size() <= word_of(node)) words_.resize(word_of(node) + 1);
        words_[word_of(node)] |= bit_of(node);
        return true;
    }
    bool erase(NodeId node) {  // whether it was there
        if (!contains(node)) return false;
        words_[word_of(node)] &= ~bit_of(node);
        trim();
        return true;
    }
    void clear() { words_.clear(); }

    NodeSet& operator|=(const NodeSet& other) {
        if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
        for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
        return *this;
    }
    NodeSet& operator&=(const NodeSet& other) {
        if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
        trim();
        return *this;
    }
    NodeSet& operator-=(const NodeSet& other) {
        const std::size_t common = std::min(words_.size(), other.words_.size());
        for (std::size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
        trim();
        return *this;
    }
    friend NodeSet operator|(NodeSet a, const NodeSet& b) { return a |= b; }
    friend NodeSet operator&(NodeSet a, const NodeSet& b) { return a &= b; }
    friend NodeSet operator-(NodeSet a, const NodeSet& b) { return a -= b; }
    friend bool operator==(const NodeSet&, const NodeSet&) = default;

    Iterator begin() const;  // ascending
    Iterator end() const;
    NodeId front() const;  // the lowest
    NodeId back() const;   // the highest

    const Words& words() const { return words_; }  // for hashing and encoding
    void set_words(Words words) {
        words_ = std::move(words);
        trim();
    }

private:
    Words words_;

    static constexpr std::uint64_t nowhere = ~std::uint64_t{0};

    static std::size_t word_of(NodeId node) { return number(node) / 64; }
    static std::uint64_t bit_of(NodeId node) { return std::uint64_t{1} << (number(node) % 64); }

    void trim() {
        while (!words_.empty() && words_.back() == 0) words_.pop_back();
    }

    std::uint64_t next_from(std::uint64_t position) const {
        std::uint64_t mask = ~std::uint64_t{0} << (position % 64);
        for (std::size_t i = position / 64; i < words_.size(); ++i, mask = ~std::uint64_t{0}) {
            const std::uint64_t word = words_[i] & mask;
            if (word != 0) return i * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
        }
        return nowhere;
    }
};

// Looks for the next node only when asked: nodes may come and go during a loop over the set.
class NodeSet::Iterator {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = NodeId;
    using difference_type = std::ptrdiff_t;
    using pointer = const NodeId*;
    using reference = NodeId;

    Iterator() = default;
    NodeId operator*() const { return static_cast<NodeId>(position_); }
    Iterator& operator++() {
        position_ = set_->next_from(position_ + 1);
        return *this;
    }
    Iterator operator++(int) {
        const Iterator before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(Iterator a, Iterator b) { return a.position_ == b.position_; }

private:
    friend class NodeSet;
    Iterator(const NodeSet* set, std::uint64_t position) : set_(set), position_(position) {}

    const NodeSet* set_ = nullptr;
    std::uint64_t position_ = nowhere;
};

inline NodeSet::Iterator NodeSet::begin() const { return {this, next_from(0)}; }
inline NodeSet::Iterator NodeSet::end() const { return {this, nowhere}; }
inline NodeId NodeSet::front() const { return assert(!empty()), *begin(); }
inline NodeId NodeSet::back() const {
    assert(!empty());
    const auto top = words_.size() * 64 - 1;
    return static_cast<NodeId>(top - static_cast<std::size_t>(std::countl_zero(words_.back())));
}

}  // namespace conclave
