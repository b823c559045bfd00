// sim/ask.h -- a request from its text: "Campaign", "Resign 3", "Appoint 2 7".
#pragma once
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/value.h"

namespace conclave {

namespace detail {

inline std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const auto start = text.find_first_not_of(' ');
        if (start == text.npos) return words;
        const auto end = text.find(' ', start);
        words.push_back(text.substr(start, end - start));
        if (end == text.npos) return words;
        text.remove_prefix(end);
    }
}

template <class T> bool read_number(std::string_view word, T& into) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
    return error == std::errc{} && end == word.data() + word.size();
}
template <class T> bool read_word(std::string_view word, T& into) {
    if constexpr (std::is_enum_v<T>) {
        std::underlying_type_t<T> value{};
        const bool ok = read_number(word, value);
        into = static_cast<T>(value);
        return ok;
    } else if constexpr (std::is_integral_v<T>) {
        return read_number(word, into);
    } else if constexpr (requires { into.value.value; }) {
        return read_word(word, into.value);
    } else if constexpr (requires { into.has_value(); }) {
        return read_word(word, into.emplace());
    } else if constexpr (requires { into.next(); }) {
        return read_number(word, into.value);
    } else {
        return false;
    }
}

}  // namespace detail

// Nothing if the protocol knows no such request or a field does not read.
template <class P> std::optional<typename P::Request> read_request(std::string_view text) {
    const auto words = detail::words_of(text);
    std::optional<typename P::Request> found;
    auto try_one = [&]<class R>(R request) {
        if (found || words.empty() || name_of<R>() != words[0]) return;
        std::size_t at = 1;
        bool ok = true;
        for_each_field(request, [&](auto& field) {
            if (at < words.size()) ok = detail::read_word(words[at++], field) && ok;
        });
        if (ok && at == words.size()) found = typename P::Request(request);
    };
    [&]<class... R>(std::variant<R...>*) {
        (try_one(R{}), ...);
    }(static_cast<typename P::Request*>(nullptr));
    return found;
}

}  // namespace conclave
