// cli/terminal.cc -- text for people.
#include "cli/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace conclave {

bool Terminal::coloured() const {
    if (colour != Colour::automatic) return colour == Colour::always;
    const char* refused = std::getenv("NO_COLOR");
    return (refused == nullptr || *refused == '\0') && isatty(STDOUT_FILENO) == 1;
}

namespace {
std::string dressed(bool wanted, std::string_view code, std::string_view text) {
    if (!wanted) return std::string(text);
    return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
}

// What a cell takes on the screen: colour codes take nothing, UTF-8 continuation bytes neither.
std::size_t width(std::string_view cell) {
    std::size_t columns = 0;
    for (std::size_t at = 0; at < cell.size(); ++at) {
        if (cell[at] == '\033') {
            at = std::min(cell.find('m', at), cell.size());
        } else if ((static_cast<unsigned char>(cell[at]) & 0xc0U) != 0x80U) {
            ++columns;
        }
    }
    return columns;
}
}  // namespace

std::string Terminal::bold(std::string_view text) const { return dressed(coloured(), "1", text); }
std::string Terminal::good(std::string_view text) const { return dressed(coloured(), "32", text); }
std::string Terminal::bad(std::string_view text) const { return dressed(coloured(), "31", text); }

std::string table(const Terminal& terminal, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t at = 0; at < row.size(); ++at) {
            widths[at] = std::max(widths[at], width(row[at]));
        }
    }
    std::string text;
    for (std::size_t line = 0; line < rows.size(); ++line) {
        for (std::size_t at = 0; at < rows[line].size(); ++at) {
            const std::string& cell = rows[line][at];
            text += line == 0 ? terminal.bold(cell) : cell;
            if (at + 1 < rows[line].size()) text.append(widths[at] - width(cell) + 2, ' ');
        }
        text += '\n';
    }
    return text;
}

std::string number_text(double value) {
    std::array<char, 32> buffer{};
    const double rounded = std::abs(value) < 1e12 ? std::round(value * 1000) / 1000 : value;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), rounded);
    return {buffer.data(), end.ptr};
}

std::string shell_quoted(std::string_view word) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
    if (!word.empty() && word.find_first_not_of(plain) == word.npos) return std::string(word);
    std::string quoted = "'";
    for (char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

Progress::Progress(const Terminal& terminal, std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      wanted_(!terminal.quiet && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + std::chrono::seconds(1)) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::at(std::uint64_t done) {
    if (!due()) return;
    const std::uint64_t parts = total_ == 0 ? 0 : done * 100 / total_;
    show(what_ + " " + std::to_string(done) + " of " + std::to_string(total_) + " (" +
         std::to_string(parts) + " %)");
}

bool Progress::due() {
    if (!wanted_) return false;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(200);
    return true;
}

void Progress::show(const std::string& line) {
    shown_ = true;
    std::fprintf(stderr, "\r%s\033[K", line.c_str());
    std::fflush(stderr);
}

void complain(std::string_view what) {
    std::fprintf(stderr, "conclave: %.*s\n", static_cast<int>(what.size()), what.data());
}

bool write_file(const std::string& path, std::string_view text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (file) return true;
    complain("cannot write " + path + ": " + std::strerror(errno));
    return false;
}

}  // namespace conclave
