// node/log_line_test.cc -- lines that strangers' words cannot break.
#include "node/log_line.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <random>
#include <vector>

namespace conclave::node {
namespace {

const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 3 / 1} +
                    std::chrono::hours(12) + std::chrono::microseconds(42)};

std::string line(LogFormat format, const std::string& value, std::string_view name = "why") {
    const std::vector<LogField> fields{{name, value}};
    return log_line(format, noon, log_body(format, Level::info, "link is down", fields));
}

std::string through_json(const std::string& value) {
    const auto parsed = boost::json::parse(line(LogFormat::json, value));
    return std::string(parsed.at("why").as_string());
}

TEST(LogLine, HasTimeLevelEventAndFields) {
    EXPECT_EQ(line(LogFormat::logfmt, "n2"),
              "time=2026-03-01T12:00:00.000042Z level=info event=\"link is down\" why=n2");
    EXPECT_EQ(line(LogFormat::json, "n2"),
              R"({"time":"2026-03-01T12:00:00.000042Z","level":"info","event":"link is down",)"
              R"("why":"n2"})");
}

TEST(LogLine, LogfmtQuotesWhatWouldBeMisread) {
    const auto value = [](const std::string& text) {
        const std::string whole = line(LogFormat::logfmt, text);
        return whole.substr(whole.find("why=") + 4);
    };
    EXPECT_EQ(value(""), R"("")");
    EXPECT_EQ(value("a b"), R"("a b")");
    EXPECT_EQ(value("a=b"), R"("a=b")");
    EXPECT_EQ(value("say \"hi\""), R"("say \"hi\"")");
    EXPECT_EQ(value("C:\\"), R"("C:\\")");
    EXPECT_EQ(value("x\nlevel=error"), R"("x\nlevel=error")");
    EXPECT_EQ(value("\x1b[31mred"), R"("\u001b[31mred")");
    EXPECT_EQ(value("\xc2\x9b"), R"("\u009b")") << "a terminal's other escape";
    EXPECT_EQ(value("\xe2\x80\xae"), R"("\u202e")") << "turns the line around";
    EXPECT_EQ(value("zo\xc3\xab"), "\"zo\xc3\xab\"");
    EXPECT_EQ(value("10.0.0.1:7420"), "10.0.0.1:7420");
}

TEST(LogLine, FieldNamesCannotForgeOthers) {
    const std::string whole = line(LogFormat::logfmt, "x", "a b=c\n");
    EXPECT_NE(whole.find(" a_b_c_=x"), std::string::npos) << whole;
    const auto parsed = boost::json::parse(line(LogFormat::json, "x", "level"));
    EXPECT_EQ(parsed.at("level").as_string(), "info");
    EXPECT_EQ(parsed.at("level_").as_string(), "x");
}

TEST(LogLine, GoodUnicodeComesThroughJsonUnchanged) {
    for (const std::string text :
         {"plain", "\"quoted\\\"", "tab\tline\nreturn\r", "\xe2\x82\xac", "\xf0\x9f\x90\x99",
          "\xc2\x80", "\xe2\x80\xa8", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf", "\x7f"}) {
        EXPECT_EQ(through_json(text), text);
    }
    EXPECT_EQ(through_json(std::string("\0x", 2)), std::string("\0x", 2));
}

TEST(LogLine, WhatIsNoUtf8IsReplaced) {
    const std::string mark = "\xef\xbf\xbd";
    EXPECT_EQ(through_json("a\xff"
                           "b"),
              "a" + mark + "b");
    EXPECT_EQ(through_json("\x80"), mark) << "a continuation of nothing";
    EXPECT_EQ(through_json("\xc3"), mark) << "cut off";
    EXPECT_EQ(through_json("\xc3("), mark + "(");
    EXPECT_EQ(through_json("\xc0\xaf"), mark + mark) << "overlong";
    EXPECT_EQ(through_json("\xe0\x80\xaf"), mark + mark + mark) << "overlong";
    EXPECT_EQ(through_json("\xed\xa0\x80"), mark + mark + mark) << "a surrogate";
    EXPECT_EQ(through_json("\xf4\x90\x80\x80"), mark + mark + mark + mark) << "beyond Unicode";
}

TEST(LogLine, LongValuesAreCutBetweenLetters) {
    const std::string long_value(1 << 20, 'x');
    EXPECT_EQ(through_json(long_value).size(), log_value_max + 3);
    EXPECT_LT(line(LogFormat::logfmt, long_value).size(), log_value_max + 200);
    std::string euros = "x";
    while (euros.size() <= log_value_max) euros += "\xe2\x82\xac";
    const std::string cut = through_json(euros);
    EXPECT_EQ(cut, euros.substr(0, euros.size() - 3) + "...");
}

TEST(LogLine, AnyBytesGiveOneLineOfGoodJson) {
    std::minstd_rand dice(7);
    for (int round = 0; round < 20'000; ++round) {
        std::string name, value, event;
        for (std::string* text : {&name, &value, &event}) {
            const std::size_t size = dice() % 24;
            for (std::size_t i = 0; i < size; ++i) {
                constexpr std::string_view nasty = "\"\\\n\xe2\x80\xa8\xf0\x9f\xc3{}=,: ";
                *text += dice() % 2 == 0 ? static_cast<char>(dice() % 256)
                                         : nasty[dice() % nasty.size()];
            }
        }
        const std::vector<LogField> fields{{name, value}};
        for (const LogFormat format : {LogFormat::json, LogFormat::logfmt}) {
            const std::string body = log_body(format, Level::error, event, fields);
            const std::string whole = log_line(format, noon, with_count(format, body, 3));
            for (const char c : whole) ASSERT_TRUE(static_cast<unsigned char>(c) >= ' ') << whole;
            if (format == LogFormat::logfmt) continue;
            boost::json::error_code error;
            const auto parsed = boost::json::parse(whole, error);
            ASSERT_FALSE(error) << error.message() << ": " << whole;
            ASSERT_EQ(parsed.at("repeated").as_int64(), 3);
        }
    }
}

TEST(LogLine, NamesOfStrangersAreFitForJson) {
    EXPECT_EQ(as_utf8("press\n\u00e9"), "press\n\u00e9");
    EXPECT_EQ(as_utf8("a\xff\xc3"), "a\uFFFD\uFFFD");
}

}  // namespace
}  // namespace conclave::node
