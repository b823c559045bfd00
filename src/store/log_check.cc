// store/log_check.cc -- reads the log as https://www.sqlite.org/fileformat2.html, section 4, has
// it.
#include "store/log_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace conclave {

namespace {

constexpr std::size_t header_size = 32, frame_header_size = 24;
constexpr std::uint32_t magic = 0x377f0682;  // the lowest bit: checksums of big-endian words
constexpr std::size_t page_least = 512, page_usual = 4096, page_most = 65536;

using View = std::span<const unsigned char>;

std::uint32_t word_at(View bytes, std::size_t at, std::endian order = std::endian::big) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i)
        word = word << 8 | bytes[at + (order == std::endian::big ? i : 3 - i)];
    return word;
}

struct Sum {
    std::uint32_t first = 0, second = 0;
    friend bool operator==(const Sum&, const Sum&) = default;

    void add(View bytes, std::endian order) {
        for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
            first += word_at(bytes, at, order) + second;
            second += word_at(bytes, at + 4, order) + first;
        }
    }
};
Sum sum_at(View bytes, std::size_t at) { return {word_at(bytes, at), word_at(bytes, at + 4)}; }

struct Log {
    View header;
    std::vector<View> frames;
    std::endian order = std::endian::little;

    bool good_header() const {
        Sum sum;
        sum.add(header.first(24), order);
        return (word_at(header, 0) & ~1u) == magic && sum == sum_at(header, 24);
    }
    // Frames of an earlier round of the log, which the file still holds, have another salt.
    bool of_this_round(View frame) const {
        return std::memcmp(frame.data() + 8, header.data() + 16, 8) == 0;
    }
    static bool commits(View frame) { return word_at(frame, 4) != 0; }

    std::size_t good_frames() const {
        Sum sum = sum_at(header, 24);
        std::size_t at = 0;
        for (; at < frames.size() && of_this_round(frames[at]); ++at) {
            sum.add(frames[at].first(8), order);
            sum.add(frames[at].subspan(frame_header_size), order);
            if (sum != sum_at(frames[at], 16)) break;
        }
        return at;
    }
    bool later_transaction_behind(std::size_t bad) const {
        bool committed = false;
        for (std::size_t at = bad; at < frames.size(); ++at) {
            if (!of_this_round(frames[at])) continue;
            if (committed) return true;
            committed = commits(frames[at]);
        }
        return false;
    }
};

}  // namespace

std::size_t log_size(std::size_t pages) {
    return header_size + pages * (frame_header_size + page_usual);
}

std::optional<Error> check_log(const std::filesystem::path& log) {
    std::ifstream file(log, std::ios::binary);
    if (!file.is_open()) return std::nullopt;  // what is there but unreadable, SQLite refuses
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const View bytes(reinterpret_cast<const unsigned char*>(text.data()), text.size());
    if (bytes.size() < header_size + frame_header_size + page_least) return std::nullopt;
    if (std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0; }))
        return std::nullopt;

    const std::size_t page = word_at(bytes, 8) == 1 ? page_most : word_at(bytes, 8);
    const bool big = (word_at(bytes, 0) & 1) != 0;
    Log read{bytes.first(header_size), {}, big ? std::endian::big : std::endian::little};
    // A header is synced before the first frame behind it is written.
    if (!read.good_header()) return Error{log.string() + ": it is damaged: bad header"};
    const std::size_t size = frame_header_size + page;
    for (std::size_t at = header_size; at + size <= bytes.size(); at += size)
        read.frames.push_back(bytes.subspan(at, size));
    const std::size_t good = read.good_frames();
    if (!read.later_transaction_behind(good)) return std::nullopt;
    return Error{log.string() + ": it is damaged: frame " + std::to_string(good + 1) +
                 " is bad, and later transactions stand behind it"};
}

}  // namespace conclave
