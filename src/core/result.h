// core/result.h -- a value from the outside world, or an error that names the thing.
#pragma once
#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace conclave {

struct Error {
    std::string what;  // one line: which thing, where, and what is wrong with it
};

template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : either_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : either_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return either_.index() == 0; }
    T& operator*() {
        assert(*this);
        return *std::get_if<0>(&either_);
    }
    const T& operator*() const {
        assert(*this);
        return *std::get_if<0>(&either_);
    }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }
    const Error& error() const {
        assert(!*this);
        return *std::get_if<1>(&either_);
    }

private:
    std::variant<T, Error> either_;
};

}  // namespace conclave
