// wire/fuzz/machine.h -- the messages and durable records of one machine, as a fuzz target.
#pragma once
#include "wire/fuzz/imagine.h"
#include "wire/fuzz/target.h"
#include "wire/messages.h"

namespace conclave::wire::fuzz {

// What could be read is written, read again, and is the same; and written again it is the same
// bytes, though not necessarily those of the input (see layout.h).
template <class T> bool examine_value(ByteView input, auto read, auto write) {
    constexpr std::uint64_t per_byte = 4;
    T first{}, second{};
    if (!within_memory(input, per_byte, [&] { return read(input, first); })) return false;
    Bytes bytes, again;
    write(bytes, first);
    require(read(bytes, second), "what we write we read");
    require(equal(first, second), "what is read again is the same value");
    write(again, second);
    require(bytes == again, "equal values are the same bytes");
    return true;
}

template <class P> bool examine_machine(ByteView input) {
    examine_value<typename P::Durable>(input, read_record<P>, write_record<P>);
    return examine_value<typename P::Message>(input, read_message<P>, write_message<P>);
}

// A few of every message, and one that nobody knows yet.
template <class P> std::vector<Seed> machine_seeds() {
    constexpr int of_each = 2;
    std::vector<Seed> seeds;
    const auto add = [&]<class Alternative>(std::in_place_type_t<Alternative>) {
        for (int i = 1; i <= of_each; ++i) {
            Dice dice(seeds.size());
            Seed seed{std::string(name_of<Alternative>()) + "-" + std::to_string(i), {}};
            write_message<P>(seed.bytes, imagine<Alternative>(dice));
            seeds.push_back(std::move(seed));
        }
    };
    [&]<class... M>(std::variant<M...>*) {
        (add(std::in_place_type<M>), ...);
        seeds.push_back({"bad-unknown", {std::byte{sizeof...(M)}, std::byte{0}}});
    }(static_cast<typename P::Message*>(nullptr));
    return seeds;
}

}  // namespace conclave::wire::fuzz
