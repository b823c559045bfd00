// wire/fuzz/target.h -- a fuzz target: what must hold for any input, and inputs to start from.
//
// One file defines `examine` and `seeds`; with fuzz_main.cc it is a program that CTest runs for a
// bounded time, with libfuzzer.cc and clang's -fsanitize=fuzzer one that searches without end. The
// corpus holds what earlier versions have written, so it also shows that we can still read it: add
// to it (--write), but never rewrite it.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/leaf_bytes.h"

namespace conclave::wire::fuzz {

struct Seed {
    std::string name;  // of the file in the corpus; "bad-..." is refused, any other accepted
    Bytes bytes;
};

bool examine(ByteView input);  // aborts if a property is broken; returns whether it was accepted
std::vector<Seed> seeds();

std::uint64_t allocated();  // bytes by operator new, since the program began

inline void require(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "broken: %s\n", property);
    std::abort();
}

// Runs `read` on an input and looks at what it allocates. An input is never larger than the frame
// it came in, so a bound per byte of input bounds what a peer can make us allocate at once.
template <class Read> auto within_memory(ByteView input, std::uint64_t per_byte, Read read) {
    constexpr std::uint64_t for_an_error = 1024;
    const std::uint64_t before = allocated();
    auto result = read();
    require(allocated() - before <= per_byte * input.size() + for_an_error,
            "memory is bounded by the size of the input");
    return result;
}

}  // namespace conclave::wire::fuzz
