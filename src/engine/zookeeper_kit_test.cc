#include <cstdlib>
#include <thread>

#include "engine/zookeeper_test.h"

namespace conclave::engine {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::unique_ptr<Servers> KeptByZooKeeper::ensemble;
static fs::path home;

void KeptByZooKeeper::SetUp() {
    if (!ensemble) {
        std::string pattern = (fs::temp_directory_path() / "conclave-XXXXXX").string();
        home = mkdtemp(pattern.data());
        ensemble = zookeeper_servers(home);
        if (!ensemble) GTEST_SKIP() << "no ZooKeeper here (libzookeeper-java, a Java runtime)";
        for (std::size_t at = 0; at < Servers::count; ++at) ensemble->start(at);
    }
    const auto end = std::chrono::steady_clock::now() + 120s;
    while (!ensemble->ready()) {
        ASSERT_LT(std::chrono::steady_clock::now(), end) << ensemble->logs();
        std::this_thread::sleep_for(50ms);
    }
    name_ = "/" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
}

void KeptByZooKeeper::TearDownTestSuite() {
    ensemble.reset();
    if (!home.empty()) fs::remove_all(home);
    home.clear();
}

std::string KeptByZooKeeper::servers(std::optional<std::size_t> only) {
    const std::string endpoint = ensemble->endpoint(only);
    return endpoint.substr(endpoint.find("//") + 2);
}

std::unique_ptr<Engine> KeptByZooKeeper::connect(const std::string& servers,
                                                 const std::string& who) {
    const auto place = read_place("zookeeper://" + who + servers);
    EXPECT_TRUE(place) << place.error().what;
    auto engine = open_zookeeper(loop, *place);
    EXPECT_TRUE(engine) << engine.error().what;
    return std::move(*engine);
}

bool KeptByZooKeeper::waits(const std::function<bool()>& done) {
    for (int patience = 0; patience < 3; ++patience) {
        if (loop.until(done)) return true;
    }
    return false;
}

std::shared_ptr<zookeeper::Session> KeptByZooKeeper::stranger(Duration session) {
    auto made = zookeeper::Session::open(loop, porter, {servers(), "", session},
                                         {[] {}, [] {}, [](auto) {}, [](const auto&) {}});
    EXPECT_TRUE(waits([&] { return made->is_connected(); }));
    return made;
}

zookeeper::Answer KeptByZooKeeper::answer(
    const std::function<void(zookeeper::Session::Done)>& ask) {
    std::optional<zookeeper::Answer> got;
    ask([&](const zookeeper::Answer& one) { got = one; });
    EXPECT_TRUE(waits([&] { return got.has_value(); }));
    return got.value_or(zookeeper::Answer{-1});
}

std::vector<std::string> KeptByZooKeeper::nodes(const std::string& folder) {
    if (!eye_ || !eye_->is_connected()) eye_ = stranger();
    answer([&](auto done) { eye_->sync(folder, std::move(done)); });
    return answer([&](auto done) { eye_->list(folder, false, std::move(done)); }).names;
}

}  // namespace conclave::engine
