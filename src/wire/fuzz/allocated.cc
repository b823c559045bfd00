// wire/fuzz/allocated.cc -- counts what the program allocates.
#include <new>

#include "wire/fuzz/target.h"

namespace {

std::uint64_t total = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    total += size;
    return std::malloc(size);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

std::uint64_t conclave::wire::fuzz::allocated() { return total; }
