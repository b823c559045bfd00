// wire/fuzz/fuzz_main.cc -- a fuzz target as a test that ends: its corpus, and damage done to it.
//
//     fuzz_<target> CORPUS [ROUNDS [SEED]]   every file, then so many mutations
//     fuzz_<target> --write CORPUS           adds the seeds that the corpus lacks
//
// Mutations that are accepted become inputs to be mutated themselves: a little of what a fuzzer
// that measures coverage does.
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "wire/fuzz/mutate.h"
#include "wire/fuzz/target.h"

extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*)());

namespace conclave::wire::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t default_rounds = 50'000;
constexpr std::size_t pool_limit = 4096;

const Bytes* current = nullptr;  // the input under examination, for whoever dies of it

void tell_current() {
    if (!current) return;
    std::fputs("with the input ", stderr);
    for (const std::byte byte : *current)
        std::fprintf(stderr, "%02x", std::to_integer<unsigned>(byte));
    std::fputs("\n", stderr);
    current = nullptr;
}

void on_abort(int) { tell_current(); }

void tell_inputs_that_kill() {
    std::signal(SIGABRT, on_abort);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_current);
}

bool examine_closely(const Bytes& input) {
    const Bytes exact(input.begin(), input.end());  // no spare room: a read behind it is seen
    current = &exact;
    const bool accepted = examine(exact);
    current = nullptr;
    return accepted;
}

std::vector<Seed> load(const fs::path& corpus) {
    std::vector<Seed> files;
    for (const auto& entry : fs::directory_iterator(corpus)) {
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        const auto bytes = std::as_bytes(std::span(text));
        files.push_back({entry.path().filename(), Bytes(bytes.begin(), bytes.end())});
    }
    std::ranges::sort(files, {}, &Seed::name);  // a seed means the same run everywhere
    return files;
}

int write(const fs::path& corpus) {
    fs::create_directories(corpus);
    for (const Seed& seed : seeds()) {
        if (fs::exists(corpus / seed.name)) continue;
        std::ofstream stream(corpus / seed.name, std::ios::binary);
        stream.write(reinterpret_cast<const char*>(seed.bytes.data()),
                     static_cast<std::streamsize>(seed.bytes.size()));
        if (!stream.flush()) return std::cerr << "cannot write " << corpus / seed.name << "\n", 1;
    }
    return 0;
}

bool examine_corpus(const std::vector<Seed>& files) {
    bool good = true;
    for (const Seed& file : files) {
        const bool expected = !file.name.starts_with("bad-");
        if (examine_closely(file.bytes) == expected) continue;
        std::cerr << file.name << (expected ? " is not accepted" : " is accepted") << "\n";
        good = false;
    }
    for (const Seed& seed : seeds()) {
        if (std::ranges::find(files, seed.name, &Seed::name) != files.end()) continue;
        std::cerr << "the corpus has no " << seed.name << ", add it with --write\n";
        good = false;
    }
    return good;
}

int run(const fs::path& corpus, std::uint64_t rounds, std::uint64_t seed) {
    const std::vector<Seed> files = load(corpus);
    if (!examine_corpus(files)) return 1;
    std::vector<Bytes> pool;
    for (const Seed& file : files) pool.push_back(file.bytes);
    Dice dice(seed);
    std::uint64_t accepted = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        Bytes input = pool[dice.below(pool.size())];
        mutate(dice, input, pool[dice.below(pool.size())]);
        if (!examine_closely(input)) continue;
        ++accepted;
        if (pool.size() < pool_limit) pool.push_back(std::move(input));
    }
    std::cout << files.size() << " files, " << rounds << " mutations, " << accepted
              << " accepted\n";
    return 0;
}

}  // namespace
}  // namespace conclave::wire::fuzz

int main(int count, char** arguments) {
    using namespace conclave::wire::fuzz;
    if (count == 3 && std::strcmp(arguments[1], "--write") == 0) return write(arguments[2]);
    if (count < 2 || count > 4 || arguments[1][0] == '-') {
        std::cerr << "usage: " << arguments[0] << " [--write] CORPUS [ROUNDS [SEED]]\n";
        return 64;
    }
    const auto number = [&](int at, std::uint64_t otherwise) {
        return at < count ? std::strtoull(arguments[at], nullptr, 10) : otherwise;
    };
    tell_inputs_that_kill();
    return run(arguments[1], number(2, default_rounds), number(3, 1));
}
