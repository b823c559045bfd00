// net/tls_records_test.cc -- two ends of a TLS connection, without any connection.
#include "net/tls_records.h"

#include <string>
#include <vector>

#include "net/links_tls_test.h"

namespace conclave::net {
namespace {

class Records : public testing::Test {
protected:
    Records() {
        std::string pattern = (fs::temp_directory_path() / "conclave-XXXXXX").string();
        folder_ = mkdtemp(pattern.data());
        const Authority authority(folder_, "ca");
        caller_tls_ = Tls::load(authority.issue_files("n1"));
        called_tls_ = Tls::load(authority.issue_files("n2"));
        EXPECT_TRUE(caller_tls_ && called_tls_);
        caller.emplace(**caller_tls_);
        called.emplace(**called_tls_);
        caller->begin(TlsRecords::Role::caller);
        called->begin(TlsRecords::Role::called);
    }
    ~Records() override { fs::remove_all(folder_); }

    // In pieces of this size.
    static void carry(TlsRecords& from, TlsRecords& to, std::size_t piece = 1 << 20) {
        Bytes records;
        from.take(records);
        EXPECT_FALSE(from.waiting());
        for (ByteView rest = records; !rest.empty();
             rest = rest.subspan(std::min(piece, rest.size())))
            to.feed(rest.first(std::min(piece, rest.size())));
    }
    bool shake_hands(std::size_t piece = 1 << 20) {
        using Handshake = TlsRecords::Handshake;
        Handshake ours = Handshake::under_way, theirs = ours;
        for (int step = 0; step < 10 && (ours != Handshake::done || theirs != ours); ++step) {
            if (ours == Handshake::under_way) ours = caller->shake_hands();
            carry(*caller, *called, piece);
            if (theirs == Handshake::under_way) theirs = called->shake_hands();
            carry(*called, *caller, piece);
        }
        return ours == Handshake::done && theirs == ours;
    }
    // Everything that has come whole.
    static std::string heard(TlsRecords& by) {
        std::string all;
        std::vector<std::byte> buffer(100);
        while (const auto said = by.read(buffer)) {
            if (said->empty()) break;
            all += text_of(*said);
        }
        return all;
    }

    std::optional<TlsRecords> caller, called;

private:
    fs::path folder_;
    std::optional<Result<Tls>> caller_tls_, called_tls_;
};

TEST_F(Records, CarryWhatIsSaidBothWays) {
    ASSERT_TRUE(shake_hands()) << caller->problem() << called->problem();
    EXPECT_TRUE(peer_certificate(called->native()).is_for("n1"));
    ASSERT_TRUE(caller->write(bytes_of("to you")));
    carry(*caller, *called);
    EXPECT_EQ(heard(*called), "to you");
    ASSERT_TRUE(called->write(bytes_of("and back")));
    carry(*called, *caller);
    EXPECT_EQ(heard(*caller), "and back");
    EXPECT_EQ(heard(*caller), "") << "once";
}

TEST_F(Records, MayBeCutAnywhere) {
    ASSERT_TRUE(shake_hands(1)) << caller->problem() << called->problem();
    ASSERT_TRUE(caller->write(bytes_of("in pieces")));
    Bytes records;
    caller->take(records);
    EXPECT_EQ(records.size(), 9 + TlsRecords::overhead);
    for (std::size_t at = 0; at < records.size(); ++at) {
        EXPECT_EQ(heard(*called), "");
        EXPECT_EQ(called->partial(), at > 0) << at;
        called->feed(ByteView(records).subspan(at, 1));
    }
    EXPECT_EQ(heard(*called), "in pieces");
    EXPECT_FALSE(called->partial());
}

TEST_F(Records, AreAsManyAsItTakes) {
    ASSERT_TRUE(shake_hands());
    const std::string much(100'000, 'x');
    ASSERT_TRUE(caller->write(bytes_of(much)));
    carry(*caller, *called, 1000);
    EXPECT_EQ(heard(*called), much);
}

TEST_F(Records, ThatWereChangedOnTheirWayAreNoneAndBothEndsAreTold) {
    ASSERT_TRUE(shake_hands());
    ASSERT_TRUE(caller->write(bytes_of("secret")));
    Bytes records;
    caller->take(records);
    records.back() ^= std::byte{1};
    called->feed(records);
    std::vector<std::byte> buffer(100);
    EXPECT_FALSE(called->read(buffer));
    EXPECT_EQ(called->problem().find("TLS: "), 0u) << called->problem();
    ASSERT_TRUE(called->waiting()) << "an alert";
    carry(*called, *caller);
    EXPECT_FALSE(caller->read(buffer));
    EXPECT_EQ(caller->problem().find("TLS: "), 0u) << caller->problem();
}

}  // namespace
}  // namespace conclave::net
