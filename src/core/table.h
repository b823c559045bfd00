// core/table.h -- a hash map that iterates in the order of insertion, the same on every machine.
//
// The entries stand in one array, in order; an index of open addressing points into it. Erasing
// leaves a hole, and a later insertion closes the holes once they are the majority. So pointers and
// iterators survive erasures of other entries, but no insertion.
#pragma once
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/hash.h"

namespace conclave {

// Comes apart as [key, value]; the key is const.
template <class K, class V> class TableEntry {
public:
    const K& key() const { return key_; }
    V& value() { return value_; }
    const V& value() const { return value_; }

    template <std::size_t I> auto& get() {
        if constexpr (I == 0)
            return key();
        else
            return value();
    }
    template <std::size_t I> const auto& get() const {
        return const_cast<TableEntry*>(this)->get<I>();
    }

private:
    friend class Table<K, V>;
    TableEntry(K key, V value) : key_(std::move(key)), value_(std::move(value)) {}
    K key_;
    V value_;
};

}  // namespace conclave

template <class K, class V>
struct std::tuple_size<conclave::TableEntry<K, V>> : std::integral_constant<std::size_t, 2> {};
template <std::size_t I, class K, class V>
struct std::tuple_element<I, conclave::TableEntry<K, V>> {
    using type = std::conditional_t<I == 0, const K, V>;
};

namespace conclave {

template <class K, class V> class Table {
    template <bool is_const> class Cursor;

public:
    using Entry = TableEntry<K, V>;
    using iterator = Cursor<false>;
    using const_iterator = Cursor<true>;

    Table() = default;
    Table(const Table&) = default;
    Table(Table&& other) noexcept { swap(other); }
    Table& operator=(const Table&) = default;
    Table& operator=(Table&& other) noexcept {
        Table taken(std::move(other));
        swap(taken);
        return *this;
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    V* find(const K& key) { return const_cast<V*>(std::as_const(*this).find(key)); }
    const V* find(const K& key) const {
        const std::size_t cell = cell_of(key, short_hash(key));
        return cell == nowhere ? nullptr : &slots_[index_[cell].slot]->value_;
    }
    bool contains(const K& key) const { return find(key) != nullptr; }

    bool insert(K key, V value) {  // whether it is new; an old value stays
        const std::uint32_t hash = short_hash(key);
        if (cell_of(key, hash) != nowhere) return false;
        add(hash, Entry(std::move(key), std::move(value)));
        return true;
    }

    V& operator[](const K& key) {
        const std::uint32_t hash = short_hash(key);
        const std::size_t cell = cell_of(key, hash);
        if (cell != nowhere) return slots_[index_[cell].slot]->value_;
        return add(hash, Entry(key, V{}));
    }

    bool erase(const K& key) {  // whether it was there
        const std::size_t cell = cell_of(key, short_hash(key));
        if (cell == nowhere) return false;
        slots_[index_[cell].slot].reset();  // from here on, `key` may be gone
        vacate(cell);
        --size_;
        return true;
    }

    void clear() {
        slots_.clear();
        index_.assign(index_.size(), Cell{});
        size_ = 0;
    }

    iterator begin() { return {slots_.data(), slots_.data() + slots_.size()}; }
    iterator end() { return {slots_.data() + slots_.size(), slots_.data() + slots_.size()}; }
    const_iterator begin() const { return {slots_.data(), slots_.data() + slots_.size()}; }
    const_iterator end() const {
        return {slots_.data() + slots_.size(), slots_.data() + slots_.size()};
    }

    // Calls f(K&, V&) for each entry; keys may change as long as they stay distinct.
    template <class F> void rewrite(F f) {
        for (Slot& slot : slots_)
            if (slot) f(slot->key_, slot->value_);
        reindex();
    }

    friend bool operator==(const Table& a, const Table& b) { return equal(a, b); }

private:
    using Slot = std::optional<Entry>;
    static constexpr std::size_t nowhere = ~std::size_t{0};
    static constexpr std::uint32_t vacant = ~std::uint32_t{0};

    struct Cell {
        std::uint32_t hash = 0;
        std::uint32_t slot = vacant;
    };

    std::vector<Slot> slots_;
    std::vector<Cell> index_;  // linear probing; empty, or a power of two of which a half is vacant
    std::size_t size_ = 0;

    void swap(Table& other) {
        slots_.swap(other.slots_);
        index_.swap(other.index_);
        std::swap(size_, other.size_);
    }

    static std::uint32_t short_hash(const K& key) {
        return static_cast<std::uint32_t>(hash_value(key));
    }

    std::size_t home_of(std::uint32_t hash) const { return hash & (index_.size() - 1); }
    std::size_t after(std::size_t cell) const { return (cell + 1) & (index_.size() - 1); }

    std::size_t cell_of(const K& key, std::uint32_t hash) const {
        if (index_.empty()) return nowhere;
        for (std::size_t cell = home_of(hash);; cell = after(cell)) {
            const Cell& here = index_[cell];
            if (here.slot == vacant) return nowhere;
            if (here.hash == hash && equal(slots_[here.slot]->key_, key)) return cell;
        }
    }

    V& add(std::uint32_t hash, Entry entry) {
        if (slots_.size() >= size_ * 2 + 8) close_holes();
        if ((size_ + 1) * 2 > index_.size()) grow();
        assert(slots_.size() < vacant);
        slots_.emplace_back(std::move(entry));
        occupy({hash, static_cast<std::uint32_t>(slots_.size() - 1)});
        ++size_;
        return slots_.back()->value_;
    }

    void occupy(Cell cell) {
        std::size_t at = home_of(cell.hash);
        while (index_[at].slot != vacant) at = after(at);
        index_[at] = cell;
    }

    // Pulls back every follower that the hole would cut off from its home.
    void vacate(std::size_t hole) {
        const std::size_t mask = index_.size() - 1;
        for (std::size_t at = after(hole); index_[at].slot != vacant; at = after(at)) {
            if (((at - home_of(index_[at].hash)) & mask) < ((at - hole) & mask)) continue;
            index_[hole] = index_[at];
            hole = at;
        }
        index_[hole] = Cell{};
    }

    void grow() {
        const std::vector<Cell> old = std::move(index_);
        index_.assign(old.empty() ? 16 : old.size() * 2, Cell{});
        for (const Cell& cell : old)
            if (cell.slot != vacant) occupy(cell);
    }

    void close_holes() {
        std::vector<std::uint32_t> moved(slots_.size());
        std::uint32_t kept = 0;
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!slots_[i]) continue;
            if (i != kept) slots_[kept] = std::move(slots_[i]);
            moved[i] = kept++;
        }
        slots_.erase(slots_.begin() + kept, slots_.end());
        for (Cell& cell : index_)
            if (cell.slot != vacant) cell.slot = moved[cell.slot];
    }

    void reindex() {
        index_.assign(index_.size(), Cell{});
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            if (!slots_[i]) continue;
            const std::uint32_t hash = short_hash(slots_[i]->key_);
            assert(cell_of(slots_[i]->key_, hash) == nowhere);
            occupy({hash, static_cast<std::uint32_t>(i)});
        }
    }
};

template <class K, class V> template <bool is_const> class Table<K, V>::Cursor {
    using Place = std::conditional_t<is_const, const Slot, Slot>;

public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<is_const, const Entry, Entry>*;
    using reference = std::conditional_t<is_const, const Entry, Entry>&;

    Cursor() = default;
    Cursor(Place* place, Place* end) : place_(place), end_(end) { skip_holes(); }

    reference operator*() const { return **place_; }
    pointer operator->() const { return &**place_; }
    Cursor& operator++() {
        ++place_;
        skip_holes();
        return *this;
    }
    Cursor operator++(int) {
        Cursor before = *this;
        ++*this;
        return before;
    }
    friend bool operator==(Cursor a, Cursor b) { return a.place_ == b.place_; }

private:
    Place* place_ = nullptr;
    Place* end_ = nullptr;

    void skip_holes() {
        while (place_ != end_ && !*place_) ++place_;
    }
};

// Returns how many went; the condition is asked as condition(key, value).
template <class K, class V, class Condition>
std::size_t erase_if(Table<K, V>& table, Condition condition) {
    const std::size_t before = table.size();
    for (auto& [key, value] : table)
        if (condition(key, value)) table.erase(key);
    return before - table.size();
}

}  // namespace conclave
