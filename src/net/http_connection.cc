#include "net/http_connection.h"

#include <cassert>
#include <ctime>
#include <exception>
#include <utility>

namespace conclave::net {
namespace {

constexpr std::string_view problem_type = "application/problem+json";
constexpr std::string_view ping_comment = ":\n\n";

std::string http_date() {
    std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[sizeof "Thu, 01 Jan 1970 00:00:00 GMT"];
    std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text, size};
}

std::string as_chunk(std::string_view piece) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string size;
    for (std::size_t rest = piece.size(); rest > 0; rest /= 16)
        size.insert(0, 1, digits[rest % 16]);
    return size + "\r\n" + std::string(piece) + "\r\n";
}

bool may_have_body(unsigned status) { return status != 204 && status != 304; }

}  // namespace

Connection::Connection(std::shared_ptr<HttpSite> site, std::unique_ptr<Channel> channel,
                       boost::asio::any_io_executor executor, bool local)
    : site_(std::move(site)),
      channel_(std::move(channel)),
      timer_(executor),
      trusted_(local),
      reader_(site_->limits.parse) {}

void Connection::start() {
    arm(site_->limits.request);
    channel_->handshake([self = shared_from_this()](ErrorCode code) {
        if (self->phase_ == Phase::closed) return;
        if (code) return self->close();
        self->trusted_ = self->trusted_ || self->channel_->peer_is_verified();
        self->enter(Phase::waiting);
        self->arm(self->site_->limits.request);  // a newcomer has no claim to idle time yet
        self->read();
    });
}

void Connection::refuse_for_load() {
    arm(site_->limits.request);
    channel_->handshake([self = shared_from_this()](ErrorCode code) {
        if (self->phase_ == Phase::closed) return;
        if (code) return self->close();
        self->refuse({503, "too many connections"});
    });
}

void Connection::close() {
    if (phase_ == Phase::closed) return;
    auto self = shared_from_this();  // the site's list may hold the last one
    phase_ = Phase::closed;
    timer_.cancel();
    channel_->close();
    if (auto exchange = exchange_.lock()) exchange->client_has_gone();
    site_->closed(*this);
}

void Connection::enter(Phase phase) {
    phase_ = phase;
    since_ = Clock::now();
}

void Connection::arm(Duration wait) {
    timer_.expires_after(wait);
    timer_.async_wait([weak = weak_from_this()](ErrorCode code) {
        auto self = weak.lock();
        if (code || !self || self->phase_ == Phase::closed) return;
        if (self->timer_.expiry() > Clock::now()) return;  // armed anew while this was on its way
        self->on_deadline();
    });
}

void Connection::on_deadline() {
    switch (phase_) {
        case Phase::receiving:
            return refuse({408, "the request did not arrive in time"});
        case Phase::streaming:
            if (!writing_.empty() && Clock::now() - progress_ > site_->limits.write) return close();
            return send_piece(ping_comment);
        case Phase::upgraded:
            if (Clock::now() - progress_ > site_->limits.idle) return close();
            return arm(site_->limits.idle);
        case Phase::serving:  // the handler's own affair
            return;
        default:
            return close();
    }
}

void Connection::read() {
    bool enough = phase_ != Phase::lingering && reader_.waiting() > site_->limits.parse.header;
    if (reading_ || input_ended_ || enough || phase_ == Phase::closed) return;
    reading_ = true;
    channel_->read_some(boost::asio::buffer(input_),
                        [self = shared_from_this()](ErrorCode code, std::size_t size) {
                            self->reading_ = false;
                            self->on_read(code, size);
                        });
}

void Connection::on_read(ErrorCode code, std::size_t size) {
    if (phase_ == Phase::closed) return;
    if (code) {
        input_ended_ = true;
        // Answers on their way are still written: a client may end its input and read on.
        if (phase_ != Phase::answering) close();
        return;
    }
    if (phase_ == Phase::lingering) return read();
    if (phase_ == Phase::upgraded) return take_bytes({input_.data(), size});
    reader_.feed({input_.data(), size});
    if (phase_ == Phase::waiting || phase_ == Phase::receiving) advance();
    read();
}

// What has come so far decides what is next. Only between two answers.
void Connection::advance() {
    if (reader_.refusal()) return refuse(*reader_.refusal());
    if (std::optional<Request> request = reader_.take()) return serve(*std::move(request));
    if (input_ended_) return close();
    if (reader_.untouched()) {
        if (phase_ == Phase::waiting) return;
        enter(Phase::waiting);
        return arm(site_->limits.idle);
    }
    if (phase_ != Phase::receiving) {
        enter(Phase::receiving);
        arm(site_->limits.request);  // once: the time is for all of it, not for each byte
    }
    if (reader_.take_expectation()) send("HTTP/1.1 100 Continue\r\n\r\n");
}

void Connection::serve(Request request) {
    enter(Phase::serving);
    timer_.cancel();
    request.trusted = trusted_;
    last_answer_ = !request.keep_alive;
    auto exchange =
        std::make_shared<Exchange>(weak_from_this(), std::move(request), site_->observer);
    exchange_ = exchange;
    std::string reason = "of an unknown type";
    try {
        return site_->handler(exchange);
    } catch (const std::exception& error) {
        reason = error.what();
    } catch (...) {
    }
    if (site_->log)
        site_->log->log(Level::error, "a handler failed",
                        {{"target", exchange->request().target}, {"error", reason}});
    if (exchange->pending())
        exchange->problem(500, "Internal error", "the server failed to answer; its log says why");
    else if (phase_ == Phase::streaming)
        close();
}

void Connection::refuse(const Refusal& refusal) {
    last_answer_ = true;
    if (site_->complaints) site_->complaints->of_client(channel_->remote(), refusal.detail);
    if (site_->observer) site_->observer(unrouted, refusal.status, Clock::now() - since_);
    Request nobody;
    answer(nobody, refusal.status, {{"Content-Type", std::string(problem_type)}},
           problem_text(refusal.status, reason_phrase(refusal.status), refusal.detail));
}

void Connection::add_connection_fields(const Request& request, HeaderFields& fields) {
    fields.push_back({"Date", http_date()});
    if (last_answer_)
        fields.push_back({"Connection", "close"});
    else if (request.version < 11)
        fields.push_back({"Connection", "keep-alive"});
}

void Connection::answer(const Request& request, unsigned status, HeaderFields fields,
                        std::string body) {
    if (phase_ == Phase::closed) return;
    add_connection_fields(request, fields);
    if (may_have_body(status)) fields.push_back({"Content-Length", std::to_string(body.size())});
    std::string text = answer_head(status, fields);
    if (may_have_body(status) && request.method != "HEAD") text += body;
    enter(Phase::answering);
    send(text);
}

void Connection::begin_stream(const Request& request, HeaderFields fields) {
    if (phase_ == Phase::closed) return;
    chunked_ = request.version >= 11;
    if (chunked_)
        fields.push_back({"Transfer-Encoding", "chunked"});
    else
        last_answer_ = true;  // only the end of the connection ends it
    add_connection_fields(request, fields);
    enter(Phase::streaming);
    arm(site_->limits.ping);
    send(answer_head(200, fields));
}

void Connection::send_piece(std::string_view piece) {
    if (phase_ != Phase::streaming) return;
    std::size_t backlog = output_.size() + writing_.size() - written_;
    if (backlog + piece.size() > site_->limits.backlog) return close();
    arm(site_->limits.ping);
    send(chunked_ ? as_chunk(piece) : std::string(piece));
}

void Connection::end_stream() {
    if (phase_ != Phase::streaming) return;
    enter(Phase::answering);
    if (chunked_) output_ += "0\r\n\r\n";
    send({});
}

// Whoever upgrades waits for the answer: what it said before that would be taken for HTTP.
void Connection::begin_bytes(HeaderFields fields, Exchange::Arrived arrived) {
    if (phase_ == Phase::closed) return;
    if (reader_.waiting() > 0) return close();
    arrived_ = std::move(arrived);
    enter(Phase::upgraded);
    progress_ = since_;
    arm(site_->limits.idle);
    send(answer_head(101, fields));
}

void Connection::send_bytes(std::string_view bytes) {
    if (phase_ != Phase::upgraded) return;
    if (output_.size() + writing_.size() - written_ + bytes.size() > site_->limits.backlog)
        return close();
    send(bytes);
}

void Connection::take_bytes(std::string_view bytes) {
    progress_ = Clock::now();
    corked_ = true;
    const auto exchange = exchange_.lock();  // as long as this takes
    if (exchange) arrived_(bytes);
    corked_ = false;
    if (phase_ == Phase::closed) return;
    if (writing_.empty()) write();
    read();
}

void Connection::send(std::string_view text) {
    output_ += text;
    if (phase_ == Phase::answering) arm(site_->limits.write);
    if (writing_.empty() && !corked_) write();
}

void Connection::write() {
    if (written_ == writing_.size()) {
        writing_.clear();
        written_ = 0;
        std::swap(writing_, output_);
    }
    if (writing_.empty()) {
        if (phase_ == Phase::answering) answer_written();
        return;
    }
    auto rest = std::string_view(writing_).substr(written_);
    progress_ = Clock::now();
    channel_->write_some(boost::asio::buffer(rest),
                         [self = shared_from_this()](ErrorCode code, std::size_t size) {
                             self->on_written(code, size);
                         });
}

void Connection::on_written(ErrorCode code, std::size_t size) {
    if (phase_ == Phase::closed) return;
    if (code) return close();
    written_ += size;
    if (phase_ == Phase::answering) arm(site_->limits.write);
    write();
}

void Connection::answer_written() {
    if (last_answer_) {
        if (input_ended_) return close();
        channel_->end_of_output();
        // Closing at once would reset the connection if the client is still sending, and it would
        // never read the answer.
        enter(Phase::lingering);
        arm(site_->limits.linger);
        return read();
    }
    advance();
    read();
}

}  // namespace conclave::net
