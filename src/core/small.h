// core/small.h -- a vector whose first N elements live inside it.
//
// No allocation while size() <= N; clear() and erase keep what was allocated. A grown Small moves
// by stealing, so a moved-from Small is always empty. As with std::vector, anything that adds
// elements invalidates iterators.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

namespace conclave {

template <class T, std::size_t N = 16> class Small {
    static_assert(N > 0);

public:
    using value_type = T;
    using iterator = T*;
    using const_iterator = const T*;

    Small() noexcept {}
    Small(std::initializer_list<T> elements) { append(elements.begin(), elements.end()); }
    Small(const Small& other) { append(other.begin(), other.end()); }
    Small(Small&& other) noexcept { take(other); }
    Small& operator=(const Small& other) {
        if (this != &other) assign(other);
        return *this;
    }
    Small& operator=(Small&& other) noexcept {
        if (this == &other) return *this;
        clear();
        if (other.on_heap()) release();
        take(other);
        return *this;
    }
    ~Small() {
        clear();
        release();
    }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() { return on_heap() ? heap_ : inline_; }
    const T* data() const { return on_heap() ? heap_ : inline_; }
    iterator begin() { return data(); }
    iterator end() { return data() + size_; }
    const_iterator begin() const { return data(); }
    const_iterator end() const { return data() + size_; }
    T& operator[](std::size_t index) { return assert(index < size_), data()[index]; }
    const T& operator[](std::size_t index) const { return assert(index < size_), data()[index]; }
    T& front() { return (*this)[0]; }
    const T& front() const { return (*this)[0]; }
    T& back() { return (*this)[size() - 1]; }
    const T& back() const { return (*this)[size() - 1]; }

    bool contains(const T& element) const { return std::find(begin(), end(), element) != end(); }

    void push_back(const T& element) { emplace_back(element); }
    void push_back(T&& element) { emplace_back(std::move(element)); }

    template <class... Args> T& emplace_back(Args&&... args) {
        if (size_ == capacity_) return grow_by(std::forward<Args>(args)...);
        T* made = make(end(), std::forward<Args>(args)...);
        ++size_;
        return *made;
    }

    iterator insert(const_iterator before, T element) {
        const auto index = before - begin();
        push_back(std::move(element));
        std::rotate(begin() + index, end() - 1, end());
        return begin() + index;
    }

    void pop_back() {
        assert(size_ > 0);
        --size_;
        std::destroy_at(end());
    }

    iterator erase(const_iterator position) { return erase(position, position + 1); }
    iterator erase(const_iterator first, const_iterator last) {
        T* hole = begin() + (first - begin());
        if (first != last) shrink_to(std::move(hole + (last - first), end(), hole));
        return hole;
    }

    void clear() { shrink_to(begin()); }

    void reserve(std::size_t count) {
        if (count > capacity_) relocate(allocate(count), count);
    }

    void resize(std::size_t count) {
        reserve(count);
        while (size_ > count) pop_back();
        while (size_ < count) emplace_back();
    }

    friend bool operator==(const Small& a, const Small& b) requires requires(const T& x) { x == x; }
    { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

private:
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = N;  // more than N: on the heap
    union {
        T inline_[N];
        T* heap_;
    };

    bool on_heap() const { return capacity_ > N; }

    template <class... Args> static T* make(T* place, Args&&... args) {
        if constexpr (std::is_constructible_v<T, Args...>)
            return std::construct_at(place, std::forward<Args>(args)...);
        else  // an aggregate, to clang 14
            return ::new (static_cast<void*>(place)) T{std::forward<Args>(args)...};
    }

    static T* allocate(std::size_t count) {
        assert(count <= std::numeric_limits<std::uint32_t>::max());
        return std::allocator<T>().allocate(count);
    }

    void release() {
        if (!on_heap()) return;
        std::allocator<T>().deallocate(heap_, capacity_);
        capacity_ = N;
    }

    // A move that throws while elements are between two homes ends the process.
    void relocate(T* home, std::size_t capacity) noexcept {
        std::uninitialized_move(begin(), end(), home);
        std::destroy(begin(), end());
        release();
        heap_ = home;
        capacity_ = static_cast<std::uint32_t>(capacity);
    }

    // Makes the new element before it moves the old ones: it may be a copy of one of them.
    template <class... Args> [[gnu::noinline]] T& grow_by(Args&&... args) {
        const std::size_t capacity = std::max<std::size_t>(capacity_, N) * 2;  // g++ fears a 0
        T* home = allocate(capacity);
        try {
            make(home + size_, std::forward<Args>(args)...);
        } catch (...) {
            std::allocator<T>().deallocate(home, capacity);
            throw;
        }
        relocate(home, capacity);
        return home[size_++];
    }

    void append(const T* first, const T* last) {
        reserve(size_ + static_cast<std::size_t>(last - first));
        std::uninitialized_copy(first, last, end());
        size_ += static_cast<std::uint32_t>(last - first);
    }

    // Element by element where both have some, so that what an element has allocated is reused.
    void assign(const Small& other) {
        const std::size_t common = std::min(size(), other.size());
        std::copy(other.begin(), other.begin() + common, begin());
        shrink_to(begin() + common);
        append(other.begin() + common, other.end());
    }

    void shrink_to(T* last) {
        std::destroy(last, end());
        size_ = static_cast<std::uint32_t>(last - begin());
    }

    void take(Small& other) noexcept {  // this one is empty, and on the heap only if other is not
        if (other.on_heap()) {
            heap_ = other.heap_;
            capacity_ = std::exchange(other.capacity_, static_cast<std::uint32_t>(N));
            size_ = std::exchange(other.size_, 0U);
        } else {
            std::uninitialized_move(other.begin(), other.end(), begin());
            size_ = other.size_;
            other.clear();
        }
    }
};

// Keeps the order of the survivors; returns how many went.
template <class T, std::size_t N, class Condition>
std::size_t erase_if(Small<T, N>& elements, Condition condition) {
    const auto kept = std::remove_if(elements.begin(), elements.end(), condition);
    const auto gone = elements.end() - kept;
    elements.erase(kept, elements.end());
    return static_cast<std::size_t>(gone);
}

}  // namespace conclave
