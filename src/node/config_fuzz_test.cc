// Wrong files by the thousand, made from a good one: each is a configuration or a list of problems
// with places, and nothing in between.
#include <algorithm>
#include <random>

#include "node/config_sample_test.h"

namespace conclave::node {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (const char c : text) {
        lines.back() += c;
        if (c == '\n') lines.emplace_back();
    }
    return lines;
}

class Spoiler {
public:
    explicit Spoiler(unsigned seed) : dice_(seed) {}

    std::string spoil(std::string text) {
        for (std::size_t i = below(4) + 1; i > 0; --i) text = once(std::move(text));
        return text;
    }

private:
    std::size_t below(std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(dice_);
    }
    template <class T> T any(const std::vector<T>& list) { return list[below(list.size())]; }

    std::string once(std::string text) {
        if (text.empty()) return text;
        const std::size_t at = below(text.size());
        switch (below(7)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                return text;
            case 1:
                return text.erase(at, below(20));
            case 2:
                return text.insert(at, any(pieces_));
            case 3:
                return text.substr(0, at);
            case 4:
                return text.insert(at, text.substr(below(text.size()), below(60)));
            default:
                return exchange_lines(text);
        }
    }
    // Keeps it TOML more often than not, so that what follows the parser has something to do.
    std::string exchange_lines(const std::string& text) {
        auto lines = lines_of(text);
        std::string& line = lines[below(lines.size())];
        const std::size_t equals = line.find(" = ");
        if (equals == line.npos || below(3) == 0) {
            std::swap(line, lines[below(lines.size())]);
        } else {
            line = line.substr(0, equals + 3) + any(values_) + "\n";
        }
        std::string out;
        for (const std::string& each : lines) out += each;
        return out;
    }

    std::mt19937 dice_;
    const std::vector<std::string> pieces_{"\"",
                                           "'",
                                           "\"\"\"",
                                           "[",
                                           "]",
                                           "[[",
                                           "{",
                                           "}",
                                           "=",
                                           ".",
                                           "#",
                                           "\n",
                                           "\\",
                                           "\\u0000",
                                           "\xc3",
                                           "\xed\xa0\x80",
                                           "\xf4\x90\x80\x80",
                                           std::string(1, '\0')};
    const std::vector<std::string> values_{"0",
                                           "-1",
                                           "9223372036854775807",
                                           "1e400",
                                           "nan",
                                           "-inf",
                                           "true",
                                           "\"\"",
                                           "\"load\"",
                                           "[]",
                                           "[1]",
                                           "[\"n1\", 2]",
                                           "[{}]",
                                           "{}",
                                           "{ id = 1 }",
                                           "1979-05-27",
                                           "07:32:00",
                                           "\"1h\"",
                                           "\"0s\"",
                                           "\"command:\"",
                                           "\"unix:/x\"",
                                           "\"\\u0007\"",
                                           "\"\\U0001F600\"",
                                           "0x10",
                                           "1_000",
                                           "[[[[]]]]"};
};

void expect_sound(const std::string& text) {
    const Loaded loaded = parsed(text);
    ASSERT_EQ(loaded.config.has_value(), loaded.errors.empty()) << text;
    const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    for (const Problem& problem : loaded.errors) {
        ASSERT_FALSE(problem.what.empty()) << text;
        ASSERT_EQ(problem.where.kind, Place::Kind::file) << problem.what << text;
        ASSERT_EQ(problem.where.name, "/etc/conclave/conclave.toml") << problem.what << text;
        ASSERT_LE(problem.where.line, lines) << problem.what << text;
    }
    if (!loaded.config) return;
    const std::string printed = print_effective(*loaded.config);
    const Loaded again = parsed(printed);
    ASSERT_TRUE(again.config) << testing::PrintToString(texts(again.errors)) << text << printed;
    ASSERT_EQ(*again.config, *loaded.config) << text << printed;
}

}  // namespace

TEST(ConfigFuzz, ASpoiltFileIsAConfigurationOrAListOfProblems) {
    std::size_t good = 0, bad = 0;
    for (unsigned seed = 0; seed < 4000; ++seed) {
        const std::string text = Spoiler(seed).spoil(sample);
        SCOPED_TRACE("seed " + std::to_string(seed));
        expect_sound(text);
        if (HasFatalFailure()) return;
        ++(parsed(text).config ? good : bad);
    }
    EXPECT_GT(good, 100u);  // else it is only the parser that was tried
    EXPECT_GT(bad, 1000u);
}

TEST(ConfigFuzz, NestingWithoutEndIsRefused) {
    const auto repeated = [](std::string_view piece, std::size_t times) {
        std::string text;
        while (times-- > 0) text += piece;
        return text;
    };
    for (const std::string& text :
         {repeated("a.", 2000) + "a = 1\n", repeated("a.", 200'000) + "a = 1\n",
          "a = " + repeated("[", 2000), "a = " + repeated("[\n", 200'000),
          "a = " + repeated("{a=", 1000), "[" + repeated("a.", 2000) + "a]\n",
          repeated("[[a]]\n", 100'000), repeated("[groups.a.a.a]\n", 2)}) {
        expect_sound(text);
        EXPECT_FALSE(parsed(text).config);
    }
}

}  // namespace conclave::node
