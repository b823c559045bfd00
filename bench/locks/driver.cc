// bench/locks/driver.cc -- N clients that lock and unlock, each on a connection of its own: pairs
// per second, and how long a pair takes.
//
//     driver [OPTION...] conclave ENDPOINT CLIENTS SECONDS one-each | one-for-all | COUNT
//     driver [OPTION...] redis    ENDPOINT CLIENTS SECONDS one-each | COUNT
//
// ENDPOINT: unix:/PATH, HOST:PORT, or https://HOST:PORT, which for Redis is TLS without the HTTP.
// OPTION: --cacert, --cert, --key or --token-file, each with a FILE.
// COUNT: each client has so many locks, and asks for all of them at once before it gives them back.
// Everybody's clients run in this one thread, on the same sockets and the same TLS.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/caller.h"
#include "client/credentials.h"
#include "net/http_channel.h"

namespace conclave {
namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

// What all clients of a run have done. The first second does not count.
class Tally {
public:
    void warm_up_is_over() {
        pairs_.clear();
        counting_since_ = Clock::now();
    }
    void pair_took(Clock::duration time) { pairs_.push_back(time); }
    void print(std::string_view system, int clients) {
        const std::chrono::duration<double> counted = Clock::now() - counting_since_;
        std::ranges::sort(pairs_);
        const auto at = [this](double share) {
            if (pairs_.empty()) return 0.0;
            const auto place = static_cast<std::size_t>(share * double(pairs_.size() - 1));
            return std::chrono::duration<double, std::micro>(pairs_[place]).count();
        };
        std::printf("%.*s %d %.0f %.0f %.0f\n", static_cast<int>(system.size()), system.data(),
                    clients, double(pairs_.size()) / counted.count(), at(0.5), at(0.99));
    }

private:
    std::vector<Clock::duration> pairs_;
    Clock::time_point counting_since_ = Clock::now();
};

class Customer {
public:
    explicit Customer(Tally& tally) : tally_(tally) {}
    virtual ~Customer() = default;

protected:
    void begins() { begun_ = Clock::now(); }
    void ends(std::size_t pairs) {
        const auto took = Clock::now() - begun_;
        for (; pairs > 0; --pairs) tally_.pair_took(took);
    }

private:
    Tally& tally_;
    Clock::time_point begun_{};
};

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "driver: %s\n", why.c_str());
    std::exit(1);
}

class ConclaveCustomer final : public Customer, private client::Caller::Events {
public:
    ConclaveCustomer(asio::io_context& loop, Tally& tally, const net::ClientOptions& way,
                     std::vector<std::string> locks)
        : Customer(tally), locks_(std::move(locks)) {
        client::Caller::Settings settings;
        settings.line.way = way;
        auto caller = client::Caller::start(loop, settings, *this);
        if (!caller) give_up(caller.error().what);
        caller_ = std::move(*caller);
    }

private:
    void lock() {
        begins();
        held_ = 0;
        for (const std::string& name : locks_) caller_->acquire(name);
    }
    void welcomed(const wire::Welcome&) override { lock(); }
    void granted(const locks::Name&, const locks::Token&) override {
        if (++held_ < locks_.size()) return;
        for (const std::string& name : locks_) caller_->release(name);
    }
    void settled() override {
        ends(locks_.size());
        lock();
    }
    void busy(const locks::Name&) override {}
    void renewed(std::optional<Instant>) override {}
    void lost(const locks::Name& lock) override { give_up("lost " + lock); }
    void turned_down(const locks::Name&, locks::Limit limit) override { give_up(words(limit)); }
    void failed(const net::Failure& failure) override { give_up(failure.what); }

    const std::vector<std::string> locks_;
    std::size_t held_ = 0;
    std::unique_ptr<client::Caller> caller_;
};

// SET NX PX, and compare-and-delete, as its documentation tells to lock with one instance.
class RedisCustomer final : public Customer {
public:
    RedisCustomer(asio::io_context& loop, Tally& tally, const net::ClientOptions& way,
                  const std::vector<std::string>& locks)
        : Customer(tally), pairs_(locks.size()), channel_(connect(loop, way)) {
        for (const std::string& lock : locks) {
            const std::string mine = "holder-of-" + lock;
            set_ += command({"SET", lock, mine, "NX", "PX", "2000"});
            all_set_ += "+OK\r\n";
            remove_ += command({"EVAL",
                                "if redis.call('get',KEYS[1])==ARGV[1] then return "
                                "redis.call('del',KEYS[1]) else return 0 end",
                                "1", lock, mine});
            all_removed_ += ":1\r\n";
        }
        channel_->handshake([this](net::ErrorCode error) {
            if (error) give_up(error.message());
            lock();
        });
    }

private:
    static std::unique_ptr<net::Channel> connect(asio::io_context& loop,
                                                 const net::ClientOptions& way) {
        const net::HttpEndpoint& where = way.endpoints.front();
        if (where.local()) {
            asio::local::stream_protocol::socket socket(loop);
            socket.connect(asio::local::stream_protocol::endpoint(where.path));
            return net::clear_channel(std::move(socket));
        }
        asio::ip::tcp::socket socket(loop);
        socket.connect({asio::ip::make_address(where.host),
                        static_cast<std::uint16_t>(std::stoul(where.port))});
        socket.set_option(asio::ip::tcp::no_delay(true));
        return where.secure ? net::tls_client_channel(std::move(socket), *way.tls, where.host)
                            : net::clear_channel(std::move(socket));
    }
    static std::string command(const std::vector<std::string>& words) {
        std::string text = "*" + std::to_string(words.size()) + "\r\n";
        for (const std::string& word : words)
            text += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
        return text;
    }
    void lock() {
        begins();
        say(set_, all_set_, [this] {
            say(remove_, all_removed_, [this] {
                ends(pairs_);
                lock();
            });
        });
    }
    template <class Then> void say(const std::string& what, std::string_view expected, Then then) {
        write(what);
        heard_.clear();
        listen(expected, then);
    }
    void write(std::string_view what) {
        channel_->write_some(asio::buffer(what), [this, what](auto error, std::size_t size) {
            if (error) give_up(error.message());
            if (size < what.size()) write(what.substr(size));
        });
    }
    template <class Then> void listen(std::string_view expected, Then then) {
        channel_->read_some(asio::buffer(input_),
                            [this, expected, then](auto error, std::size_t size) {
                                if (error) give_up(error.message());
                                heard_.append(input_.data(), size);
                                if (!expected.starts_with(heard_))
                                    give_up("redis answers " + heard_);
                                if (heard_.size() < expected.size()) return listen(expected, then);
                                then();
                            });
    }

    const std::size_t pairs_;
    std::unique_ptr<net::Channel> channel_;
    std::string set_, all_set_, remove_, all_removed_, heard_;
    std::array<char, 4096> input_{};
};

// What client number `at` locks. What a run before this one still holds is none of it.
std::vector<std::string> names_for(int at, const std::string& which) {
    const std::string run = "lock-" + std::to_string(::getpid()) + "-";
    if (which == "one-for-all") return {run};
    const int count = which == "one-each" ? 1 : std::stoi(which);
    std::vector<std::string> names;
    for (int number = 0; number < count; ++number)
        names.push_back(run + std::to_string(at) + "-" + std::to_string(number));
    return names;
}

// What stands before the rest, which is left.
client::Credentials take_options(std::span<const std::string>& words) {
    client::Credentials shown;
    const std::map<std::string, std::string*> known{{"--cacert", &shown.tls.ca},
                                                    {"--cert", &shown.tls.cert},
                                                    {"--key", &shown.tls.key},
                                                    {"--token-file", &shown.token_file}};
    while (words.size() > 1 && words[0].starts_with("--")) {
        const auto option = known.find(words[0]);
        if (option == known.end()) give_up("no option is called " + words[0]);
        *option->second = words[1];
        words = words.subspan(2);
    }
    return shown;
}

int run(std::span<const std::string> words) {
    const client::Credentials shown = take_options(words);
    if (words.size() != 5) give_up("[OPTION...] SYSTEM ENDPOINT CLIENTS SECONDS WHICH");
    const std::string& system = words[0];
    const int clients = std::stoi(words[2]);
    net::ClientOptions way;
    auto endpoint = net::parse_http_endpoint(words[1]);
    if (!endpoint) give_up(endpoint.error().what);
    way.endpoints = {*endpoint};
    const auto tls = client::present(shown, way);
    if (!tls) give_up(tls.error().what);
    asio::io_context loop{1};
    Tally tally;
    std::vector<std::unique_ptr<Customer>> all;
    for (int at = 0; at < clients; ++at) {
        auto locks = names_for(at, words[4]);
        if (system == "conclave") {
            all.push_back(std::make_unique<ConclaveCustomer>(loop, tally, way, locks));
        } else if (system == "redis") {
            all.push_back(std::make_unique<RedisCustomer>(loop, tally, way, locks));
        } else {
            give_up("no system is called " + system);
        }
    }
    loop.run_for(std::chrono::seconds(1));
    tally.warm_up_is_over();
    loop.run_for(std::chrono::seconds(std::stoi(words[3])));
    tally.print(system, clients);
    std::fflush(stdout);
    std::_Exit(0);  // clients that are in the midst of something are not worth an end
}

}  // namespace
}  // namespace conclave

int main(int argc, char** argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    return conclave::run(words);
}
