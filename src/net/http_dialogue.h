// net/http_dialogue.h -- one question to one endpoint: connect, ask, read the answer, part.
#pragma once
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/types.h"
#include "net/http_channel.h"
#include "net/http_endpoint.h"
#include "net/http_message.h"
#include "net/http_parse.h"

namespace conclave::net {

// In order of how much it says: of several endpoints that failed, the largest is reported.
enum class Trouble {
    unreachable,  // nobody listens there
    timeout,      // no connection, or no answer, in time
    bad_answer,   // it is no HTTP, too large, or breaks off
    refused,  // TLS or the file permissions of a unix socket: we are not let in, or do not trust
};

struct Failure {
    Trouble trouble = Trouble::unreachable;
    std::string what;   // one line, names the endpoint
    bool sent = false;  // the request may have been carried out
};

using Outcome = std::variant<Answer, Failure>;

struct Call {
    std::string method = "GET";
    std::string target = "/";
    std::string body{};                             // sent if not empty
    std::string content_type = "application/json";  // of the body
    HeaderFields fields{};
    std::string upgrade{};  // to this protocol, if not empty
    Duration takes{};       // the answer of somebody who is well, at most: a long poll's wait
};

class Dialogue : public std::enable_shared_from_this<Dialogue> {
public:
    struct Terms {
        boost::asio::ssl::context* tls = nullptr;  // https:// fails without
        std::string token{};  // shown with the question, but never in plaintext to another machine
        ParseLimits limits{};
        Duration connect{};  // until the connection is there
        Duration answer{};   // from then until the answer is complete, or between two pieces of it
        Duration head{};     // from then until the head of an endless answer; zero: as `answer`
        AnswerReader::OnBody on_piece{};  // if set, the answer's body comes here and may be endless
        // If the server takes up the other protocol: the connection, and what came on it already.
        // Then it is not ours any more, and `done` is not called.
        std::function<void(std::unique_ptr<Channel>, std::string)> on_upgraded{};
    };

    Dialogue(boost::asio::io_context& loop, HttpEndpoint endpoint, Terms terms);

    void start(const Call& call, std::function<void(Outcome)> done);
    void cancel();  // `done` will not be called

private:
    void connect_unix();
    void connect_tcp();
    void connect_to(boost::asio::ip::tcp::resolver::results_type where);
    bool may_show_token(const boost::asio::ip::tcp::endpoint& peer) const;
    void greet(StreamSocket socket);
    void ask();
    void write();
    void read();
    void on_read(ErrorCode code, std::size_t size);
    void arm(Duration wait, std::string what);
    void fail(Trouble trouble, const std::string& what);
    void finish(Outcome outcome);
    void hand_over();

    boost::asio::io_context& loop_;
    HttpEndpoint endpoint_;
    Terms terms_;
    boost::asio::steady_timer timer_;
    boost::asio::ip::tcp::resolver resolver_;
    std::optional<boost::asio::ip::tcp::socket> connecting_;
    std::unique_ptr<Channel> channel_;
    std::string request_;
    std::size_t written_ = 0;
    std::optional<AnswerReader> reader_;
    std::array<char, 16384> input_;
    std::function<void(Outcome)> done_;
};

}  // namespace conclave::net
