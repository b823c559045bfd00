// cli/terminal.h -- what people see: tables, colour where it is welcome, progress where there is a
// terminal.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace conclave {

enum class Format { text, json, jsonl };
enum class Colour { automatic, never, always };

struct Terminal {
    Format format = Format::text;
    Colour colour = Colour::automatic;
    bool quiet = false;

    bool coloured() const;  // on standard output
    std::string bold(std::string_view text) const;
    std::string good(std::string_view text) const;
    std::string bad(std::string_view text) const;
};

// Columns as wide as they need to be; the first row is the head.
std::string table(const Terminal& terminal, const std::vector<std::vector<std::string>>& rows);

std::string number_text(double value);            // 3, 2.5, 0.125: no more digits than needed
std::string shell_quoted(std::string_view word);  // as it must be typed

// One line on standard error that is overwritten: only on a terminal, only after a second.
class Progress {
public:
    Progress(const Terminal& terminal, std::string what, std::uint64_t total);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    void at(std::uint64_t done);
    // Where there is no total: whether it is time to show something, and that.
    bool due();
    void show(const std::string& line);

private:
    std::string what_;
    std::uint64_t total_;
    bool shown_ = false;
    bool wanted_;
    std::chrono::steady_clock::time_point next_;
};

// The last word on standard error before a refusal: `conclave: WHAT`.
void complain(std::string_view what);

// Writes the whole file or says what went wrong.
[[nodiscard]] bool write_file(const std::string& path, std::string_view text);

}  // namespace conclave
