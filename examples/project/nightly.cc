// nightly ENDPOINT -- works while it holds a lock, and not a moment longer.
#include <chrono>
#include <conclave/client.hpp>
#include <cstdio>

using namespace std::chrono_literals;

int main(int, char** arguments) {
    conclave::Client client({.endpoints = {arguments[1]}});
    const auto held = client.lock("nightly-backup").lock_for(30s);
    if (!held) return 75;
    for (int piece = 1; piece <= 3; ++piece) {
        if (!held->held()) return 79;  // whoever has it next begins anew
        // What is written to refuses a token that is smaller than the last: see fence.hpp.
        std::printf("piece %d with token %s\n", piece, to_string(held->token()).c_str());
    }
}
