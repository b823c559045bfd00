// net/address_test.cc -- every form of an address, and every way to get it wrong.
#include "net/address.h"

#include <gtest/gtest.h>

namespace conclave::net {
namespace {

std::string reading_of(const std::string& text) {
    const auto address = parse_address(text);
    if (!address) return address.error().what;
    if (const auto* path = std::get_if<UnixPath>(&*address)) return "path " + path->path;
    const auto& place = std::get<HostPort>(*address);
    return "host " + place.host + " port " + std::to_string(place.port);
}

TEST(Address, EveryFormIsRead) {
    EXPECT_EQ(reading_of("n1.example.net:7420"), "host n1.example.net port 7420");
    EXPECT_EQ(reading_of("127.0.0.1:0"), "host 127.0.0.1 port 0");
    EXPECT_EQ(reading_of("[::1]:65535"), "host ::1 port 65535");
    EXPECT_EQ(reading_of("unix:/run/conclave/api.sock"), "path /run/conclave/api.sock");
}

TEST(Address, WhatIsReadIsWrittenTheSameWay) {
    for (const char* text : {"n1:7420", "127.0.0.1:1", "[::1]:2", "unix:/run/x"})
        EXPECT_EQ(to_text(*parse_address(text)), text);
}

TEST(Address, WhatIsNoneIsRefusedWithTheReason) {
    const std::pair<const char*, const char*> wrong[] = {
        {"", "address \"\": expected host:port, [::1]:port or unix:/path"},
        {"n1", "address \"n1\": expected host:port, [::1]:port or unix:/path"},
        {":7420", "address \":7420\": there is no host before the port"},
        {"n1:", "address \"n1:\": the port is a number from 0 to 65535"},
        {"n1:65536", "address \"n1:65536\": the port is a number from 0 to 65535"},
        {"n1:-1", "address \"n1:-1\": the port is a number from 0 to 65535"},
        {"n1:7420x", "address \"n1:7420x\": the port is a number from 0 to 65535"},
        {"::1:7420", "address \"::1:7420\": an IPv6 address is written in brackets, [::1]:7420"},
        {"[n1]:1", "address \"[n1]:1\": no IPv6 address between the brackets"},
        {"[::1:1", "address \"[::1:1\": expected [address]:port"},
        {"[:1", "address \"[:1\": expected [address]:port"},
        {"a b:1", "address \"a b:1\": a host's name has only letters, digits, '-', '_' and '.'"},
        {"unix:run", "address \"unix:run\": the path of a unix socket starts with /"},
    };
    for (const auto& [text, reason] : wrong) EXPECT_EQ(reading_of(text), reason);
    EXPECT_NE(reading_of("unix:/" + std::string(200, 'x')).find("at most 107 bytes"),
              std::string::npos);
}

TEST(Address, LoopbackIsWhatNeverLeavesTheMachine) {
    for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1",
                             "localhost:1", "unix:/x"})
        EXPECT_TRUE(is_loopback(*parse_address(text))) << text;
    for (const char* text : {"0.0.0.0:1", "[::]:1", "128.0.0.1:1", "[::ffff:10.0.0.1]:1",
                             "127.example.net:1", "localhost.example.net:1", "[fe80::1]:1"})
        EXPECT_FALSE(is_loopback(*parse_address(text))) << text;
}

}  // namespace
}  // namespace conclave::net
