// net/complaints_test.cc -- who is named in the log, and how often.
#include "net/complaints.h"

#include <gtest/gtest.h>

namespace conclave::net {
namespace {

class Counter : public LogSink {
public:
    void log(Level, std::string_view, std::span<const LogField> fields) override {
        ++lines;
        last = fields.back().value;
    }
    int lines = 0;
    std::string last;
};

TEST(Complaints, OfAPeerComeOncePerChangeOfReason) {
    Counter log;
    Complaints complaints(log);
    std::string last;
    for (const char* why : {"refused", "refused", "refused", "timed out", "refused"})
        complaints.of_peer(last, "cannot reach peer", {"n1", "127.0.0.1:1"}, why);
    EXPECT_EQ(log.lines, 3);
    complaints.of_peer(last, "cannot reach peer", {"n1", "127.0.0.1:1"}, "refused");
    EXPECT_EQ(log.lines, 3);
}

TEST(Complaints, StrangersWithEverNewReasonsDoNotFillTheLog) {
    Counter log;
    Complaints complaints(log);
    for (int i = 0; i < 1000; ++i) complaints.of_stranger("127.0.0.1", std::to_string(i));
    EXPECT_EQ(log.last, "0");
    EXPECT_EQ(log.lines, 1);
}

TEST(Complaints, ClientsAreNotedOncePerReasonToo) {
    Counter log;
    Complaints complaints(log);
    for (int i = 0; i < 1000; ++i) complaints.of_client("127.0.0.1", "too many connections");
    EXPECT_EQ(log.last, "too many connections");
    EXPECT_EQ(log.lines, 1);
}

TEST(Complaints, AVisitorWhoWasPassedOverIsNamedAtALaterTry) {
    Counter log;
    Complaints complaints(log);
    std::string last;
    complaints.of_stranger("127.0.0.1", "garbage");
    complaints.of_visitor(last, {"n1", "127.0.0.1"}, "wrong cluster");
    EXPECT_EQ(last, "");  // so that it is not taken for said
}

}  // namespace
}  // namespace conclave::net
