// check/moment.h -- a global state: numbers of what the repertoire keeps, and their bytes.
//
// The network is part of it: the packets in flight, ordered so that equal networks are equal. Where
// links keep the order of what they carry, by link and then as sent; else by number.
#pragma once
#include <cstdint>
#include <vector>

#include "check/landscape.h"

namespace conclave {

struct Moment {
    std::vector<std::uint32_t> residents{};  // by place in the member list
    std::uint32_t past = 0;
    std::uint32_t outside = 0;
    std::vector<std::uint32_t> packets{};

    // Behind the bytes used so far; returns how many are used then. The vector grows and never
    // shrinks, for whatever shrinks and grows again is filled with zeros each time.
    std::size_t write(std::vector<std::uint8_t>& bytes, std::size_t used) const {
        constexpr std::size_t longest = 5;  // bytes of a number
        const std::size_t most = used + longest * (residents.size() + 2 + packets.size());
        if (bytes.size() < most) bytes.resize(2 * most);
        std::uint8_t* at = bytes.data() + used;
        for (std::uint32_t number : residents) at = put(at, number);
        at = put(at, past);
        at = put(at, outside);
        for (std::uint32_t number : packets) at = put(at, number);
        return static_cast<std::size_t>(at - bytes.data());
    }
    // Of a world of as many nodes as `residents` has.
    void read(Code bytes) {
        const std::uint8_t* at = bytes.data();
        const std::uint8_t* const end = at + bytes.size();
        for (std::uint32_t& number : residents) number = take(at);
        past = take(at);
        outside = take(at);
        packets.clear();
        while (at != end) packets.push_back(take(at));
    }

private:
    // Seven bits a byte: most numbers are small.
    static std::uint8_t* put(std::uint8_t* at, std::uint32_t number) {
        while (number >= 0x80) {
            *at++ = static_cast<std::uint8_t>(number | 0x80);
            number >>= 7;
        }
        *at++ = static_cast<std::uint8_t>(number);
        return at;
    }
    static std::uint32_t take(const std::uint8_t*& at) {
        std::uint32_t number = 0;
        for (unsigned shift = 0;; shift += 7) {
            const std::uint8_t byte = *at++;
            number |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
            if (byte < 0x80) return number;
        }
    }
};

}  // namespace conclave
