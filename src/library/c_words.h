// library/c_words.h -- how something that throws is told to C.
#pragma once
#include <cstring>
#include <exception>

namespace conclave {

// What `make` makes, or nothing and the reason.
template <class F> auto* without_throwing(char** error, F make) noexcept {
    using Handle = decltype(make());
    if (error) *error = nullptr;
    try {
        return make();
    } catch (const std::exception& thrown) {
        if (error) *error = ::strdup(thrown.what());
    } catch (...) {
        if (error) *error = ::strdup("something was thrown that is no exception");
    }
    return Handle{};
}

}  // namespace conclave
