// check/steady.h -- a vector that never moves what it holds: it grows by chunks of doubling size.
//
// So an element may be read while another thread appends, and growing never needs old and new
// memory at once.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <utility>

namespace conclave {

template <class T> class Steady {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::size_t bytes() const { return size_ * sizeof(T); }

    T& operator[](std::size_t index) {
        const Place place = place_of(index);
        return chunks_[place.chunk][place.at];
    }
    const T& operator[](std::size_t index) const {
        const Place place = place_of(index);
        return chunks_[place.chunk][place.at];
    }
    void push_back(T value) {
        const Place place = place_of(size_);
        auto& chunk = chunks_[place.chunk];
        if (!chunk) chunk = std::make_unique_for_overwrite<T[]>(first << place.chunk);
        chunk[place.at] = std::move(value);
        ++size_;
    }

private:
    static constexpr std::size_t first = 64;  // elements of the first chunk
    struct Place {
        std::size_t chunk, at;
    };
    static Place place_of(std::size_t index) {
        const std::size_t shifted = index + first;
        const auto chunk = static_cast<std::size_t>(std::bit_width(shifted / first)) - 1;
        return {chunk, shifted - (first << chunk)};
    }

    std::size_t size_ = 0;
    std::array<std::unique_ptr<T[]>, 48> chunks_;
};

}  // namespace conclave
