// cli/cluster_clients_test.cc -- clients of the API that mean ill, or mean well and do it badly:
// each costs its own connection, the decent ones are answered, and the cluster does not notice.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/siege_test.h"

namespace conclave {
namespace {

constexpr std::size_t target = 0;

TEST_F(Siege, TenThousandSilentClientsKeepNobodyOut) {
    expect_answers_during(target, [this] { crowd(api_address(target), 10'000, ""); });
    expect_unmoved();
}

// Half a request each, and never the rest: the slow loris.
TEST_F(Siege, ThousandsOfRequestsThatNeverEndKeepNobodyOut) {
    const std::string half = "GET /v1/status HTTP/1.1\r\nHost: n1\r\nX-Slow: ";
    expect_answers_during(target, [&] { crowd(api_address(target), 5'000, half); });
    expect_unmoved();
}

// Those who ask to be told later may wait, all of them, but not in the places of this machine's
// own.
TEST_F(Siege, LongPollsThatFillThePortDoNotLockOutWhoSitsAtTheMachine) {
    const std::string poll =
        "GET /v1/groups/main?index=1000000&wait=300s HTTP/1.1\r\nHost: n1\r\n\r\n";
    const std::string question = "GET /livez HTTP/1.1\r\nHost: n1\r\n\r\n";
    static_cast<void>(descriptors());  // as many as there are: the node has places for as many
    std::deque<net::RawClient> waiting;
    EXPECT_TRUE(comes_true([&] {
        for (int i = 0; i < 100; ++i) waiting.emplace_back(api_address(target)).send(poll);
        return net::RawClient(api_address(target)).ask(question).status == 503;
    }));
    EXPECT_EQ(named_by(target), before_leader());
    for (int again = 0; again < 20; ++again) {
        EXPECT_EQ(net::RawClient(api_address(target)).ask(question).status, 503u);
    }
    EXPECT_TRUE(comes_true([&] { return complaints(target, "too many connections") > 0; }));
    EXPECT_EQ(complaints(target, "too many connections"), 1u) << log_of(target);
    expect_unmoved();
}

// Sends so many bytes unless it is stopped, and says with what answer.
unsigned status_after(const std::string& address, const std::string& start,
                      const std::string& piece, std::size_t bytes) {
    net::RawClient client(address);
    if (client.send(start)) {
        for (std::size_t sent = 0; sent < bytes && client.send(piece);) sent += piece.size();
    }
    return client.answer().status;
}

TEST_F(Siege, AGigabyteIsRefusedLongBeforeItHasCome) {
    constexpr std::size_t gigabyte = 1'000'000'000;
    const std::string address = api_address(target), many(1 << 20, 'x');
    const std::string post = "POST /v1/groups/main/resign HTTP/1.1\r\nHost: n1\r\n";
    const std::string chunk = "100000\r\n" + many + "\r\n";
    expect_answers_during(target, [&] {
        EXPECT_EQ(status_after(address, "GET / HTTP/1.1\r\nHost: n1\r\nX: ", many, gigabyte), 431u);
        EXPECT_EQ(
            status_after(address, post + "Content-Length: 1000000000\r\n\r\n", many, gigabyte),
            413u);
        EXPECT_EQ(
            status_after(address, post + "Transfer-Encoding: chunked\r\n\r\n", chunk, gigabyte),
            413u);
    });
    EXPECT_EQ(status_after(address, "GET /", many, gigabyte), 431u) << "of the target";
    expect_unmoved();
}

TEST_F(Siege, GarbageIsAnsweredAndNotedOnce) {
    const auto garbage = [&] {
        net::RawClient client(api_address(target));
        client.send("\x16\x03\x01\x02 this is no request\r\n\r\n");
        EXPECT_EQ(client.answer().status, 400u);
        EXPECT_TRUE(client.closed_by_server());
    };
    EXPECT_TRUE(comes_true([&] {
        garbage();
        return complaints(target, "client is refused") > 0;
    })) << log_of(target);
    for (int again = 0; again < 20; ++again) garbage();
    EXPECT_EQ(complaints(target, "client is refused"), 1u) << log_of(target);
    expect_unmoved();
}

// On a system that allows no more descriptors than a shell usually has.
class FrugalSiege : public Siege {
protected:
    FrugalSiege() {
        const auto wrapper = folder / "frugal";
        std::ofstream(wrapper) << "#!/bin/sh\nulimit -n 1024\nexec " << program << " \"$@\"\n";
        std::filesystem::permissions(wrapper, std::filesystem::perms::owner_all);
        program = wrapper;
    }
};

TEST_F(FrugalSiege, AFloodAtEveryDoorLeavesADescriptorForAPeerThatComesBack) {
    const std::size_t dialled = 2, other = before_leader() == "n1" ? 1 : 0;
    EXPECT_EQ(complaints(dialled, "few file descriptors"), 1u) << log_of(dialled);
    std::deque<net::RawClient> clients, neighbours, strangers;
    const std::string poll = "GET /v1/events HTTP/1.1\r\nHost: n1\r\n\r\n";
    const std::size_t of_each = std::min<std::size_t>(1'100, descriptors() / 3);
    for (std::size_t i = 0; i < of_each; ++i) {
        clients.emplace_back(api_address(dialled)).send(poll);
        neighbours.emplace_back(cluster->processes()[dialled].endpoint());
        strangers.emplace_back("127.0.0.1:" + std::to_string(peer_port(dialled)));
    }
    kill(other);
    restart();
    EXPECT_TRUE(comes_true([&] { return named_by(other) == before_leader(); })) << logs();
    EXPECT_EQ(complaints(dialled, "cannot accept"), 0u) << log_of(dialled);
    EXPECT_EQ(named_by(dialled), before_leader());
}

}  // namespace
}  // namespace conclave
