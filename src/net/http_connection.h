// net/http_connection.h -- one client of the HTTP server: reads, hands over, writes, ends in time.
//
// One request is served at a time, and the next one only after the answer has been written, so a
// client that pipelines without reading costs no more than one answer. Reading goes on meanwhile,
// up to a limit, because that is how the client's leaving is noticed: the end of its input counts
// as leaving.
#pragma once
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/types.h"
#include "net/complaints.h"
#include "net/http_channel.h"
#include "net/http_exchange.h"
#include "net/http_parse.h"
#include "net/log.h"

namespace conclave::net {

struct HttpLimits {
    ParseLimits parse{};
    std::size_t backlog = 1 << 20;  // of a stream whose client does not read
    // Of the local socket, and as many again of all others. Beyond it the one goes that has kept us
    // waiting longest; if all are being served, the new one.
    std::size_t connections = 1000;
    Duration request = std::chrono::seconds(10);  // for a whole request to arrive
    Duration idle = std::chrono::seconds(60);     // between two requests
    Duration write = std::chrono::seconds(30);    // without the client reading a single byte
    Duration ping = std::chrono::seconds(15);     // a comment in a quiet stream: is anybody there?
    Duration linger = std::chrono::seconds(2);    // for the client to read the last answer
};

// What all connections of a server share.
struct HttpSite {
    HttpLimits limits;
    Handler handler;
    Observer observer;
    LogSink* log = nullptr;
    std::optional<Complaints> complaints;  // if there is a log
    std::function<void(Connection&)> closed;
};

class Connection : public std::enable_shared_from_this<Connection> {
public:
    using Clock = std::chrono::steady_clock;

    Connection(std::shared_ptr<HttpSite> site, std::unique_ptr<Channel> channel,
               boost::asio::any_io_executor executor, bool local);

    void start();
    void refuse_for_load();  // instead of start(): 503 and an end
    void close();

    // Neither is anything being done for it, nor is an answer on its way.
    bool keeps_us_waiting() const {
        return phase_ == Phase::greeting || phase_ == Phase::waiting ||
               phase_ == Phase::receiving || phase_ == Phase::lingering;
    }
    Clock::time_point since() const { return since_; }

    // The exchange's. `answer`, `begin_stream` or `begin_bytes` once per request.
    void answer(const Request& request, unsigned status, HeaderFields fields, std::string body);
    void begin_stream(const Request& request, HeaderFields fields);
    void send_piece(std::string_view piece);
    void end_stream();
    void begin_bytes(HeaderFields fields, Exchange::Arrived arrived);
    void send_bytes(std::string_view bytes);

private:
    enum class Phase {
        greeting,
        waiting,
        receiving,
        serving,
        answering,
        streaming,
        upgraded,
        lingering,
        closed
    };

    void enter(Phase phase);
    void arm(Duration wait);
    void on_deadline();
    void read();
    void on_read(ErrorCode code, std::size_t size);
    void advance();
    void serve(Request request);
    void refuse(const Refusal& refusal);
    void take_bytes(std::string_view bytes);
    void send(std::string_view text);
    void write();
    void on_written(ErrorCode code, std::size_t size);
    void answer_written();
    void add_connection_fields(const Request& request, HeaderFields& fields);

    std::shared_ptr<HttpSite> site_;
    std::unique_ptr<Channel> channel_;
    boost::asio::steady_timer timer_;
    bool trusted_;
    Phase phase_ = Phase::greeting;
    Clock::time_point since_ = Clock::now();  // when the phase began

    RequestReader reader_;
    std::array<char, 4096> input_;
    bool reading_ = false;
    bool input_ended_ = false;

    std::string output_;            // to be written next
    std::string writing_;           // being written, must not move
    std::size_t written_ = 0;       // of writing_
    Clock::time_point progress_{};  // when the client last took something, or upgraded, said it
    bool chunked_ = false;          // the stream's pieces carry their length
    bool last_answer_ = false;
    Exchange::Arrived arrived_;  // for what comes once it is upgraded
    bool corked_ = false;        // more is about to be said, and will be written with it
    std::weak_ptr<Exchange> exchange_;
};

}  // namespace conclave::net
