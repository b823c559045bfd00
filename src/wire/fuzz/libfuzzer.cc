// wire/fuzz/libfuzzer.cc -- a target as libFuzzer wants it.
#include "wire/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    conclave::wire::fuzz::examine(std::as_bytes(std::span(data, size)));
    return 0;
}
