// sim/pool.h -- a place for each thing that waits.
//
// Growing moves nothing, and the place left last is taken first, while it is still in the cache: a
// walk's memory follows what is in flight, not how long it runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace conclave {

template <class T> class Pool {
public:
    using Place = std::uint32_t;

    Place put(T&& item) {
        if (free_.empty()) grow();
        const Place place = free_.back();
        free_.pop_back();
        (*this)[place] = std::move(item);
        return place;
    }
    T take(Place place) {
        free_.push_back(place);
        return std::move((*this)[place]);
    }
    T& operator[](Place place) { return chunks_[place / chunk][place % chunk]; }
    const T& operator[](Place place) const { return chunks_[place / chunk][place % chunk]; }

private:
    static constexpr Place chunk = 64;

    void grow() {
        const auto first = static_cast<Place>(chunks_.size() * chunk);
        chunks_.push_back(std::make_unique<T[]>(chunk));
        free_.reserve(chunks_.size() * chunk);
        for (Place place = first + chunk; place-- > first;) free_.push_back(place);
    }

    std::vector<std::unique_ptr<T[]>> chunks_;
    std::vector<Place> free_;  // the last one is the next to be taken
};

}  // namespace conclave
