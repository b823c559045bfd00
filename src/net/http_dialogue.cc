#include "net/http_dialogue.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <chrono>
#include <utility>

#include "net/token.h"

namespace conclave::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

std::string request_text(const HttpEndpoint& endpoint, const Call& call, const std::string& token) {
    std::string host = endpoint.local() ? "localhost" : endpoint.host;
    if (host.find(':') != host.npos) host = '[' + host + ']';
    if (!endpoint.local()) host += ':' + endpoint.port;
    std::string text = call.method + ' ' + call.target + " HTTP/1.1\r\nHost: " + host + "\r\n";
    text += call.upgrade.empty() ? "Connection: close\r\n"
                                 : "Connection: Upgrade\r\nUpgrade: " + call.upgrade + "\r\n";
    if (!token.empty()) text.append("Authorization: ").append(bearer(token)).append("\r\n");
    for (const auto& [name, value] : call.fields) {
        assert(value.find_first_of("\r\n") == value.npos);
        text += name + ": " + value + "\r\n";
    }
    bool has_body = !call.body.empty();
    if (has_body) text += "Content-Type: " + call.content_type + "\r\n";
    if (has_body || call.method == "POST" || call.method == "PUT")
        text += "Content-Length: " + std::to_string(call.body.size()) + "\r\n";
    return text + "\r\n" + call.body;
}

std::string in_words(Duration wait) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(wait).count()) +
           " ms";
}

Trouble why_not_connected(const ErrorCode& code) {
    bool forbidden = code == boost::system::errc::permission_denied ||
                     code == boost::system::errc::operation_not_permitted;
    return forbidden ? Trouble::refused : Trouble::unreachable;
}

}  // namespace

Dialogue::Dialogue(asio::io_context& loop, HttpEndpoint endpoint, Terms terms)
    : loop_(loop),
      endpoint_(std::move(endpoint)),
      terms_(std::move(terms)),
      timer_(loop),
      resolver_(loop) {}

void Dialogue::start(const Call& call, std::function<void(Outcome)> done) {
    done_ = std::move(done);
    request_ = request_text(endpoint_, call, terms_.token);
    auto body = call.method == "HEAD" ? AnswerReader::Body::none : AnswerReader::Body::expected;
    reader_.emplace(terms_.limits, body, std::move(terms_.on_piece));
    arm(terms_.connect, "no connection within " + in_words(terms_.connect));
    endpoint_.local() ? connect_unix() : connect_tcp();
}

void Dialogue::cancel() {
    done_ = {};
    timer_.cancel();
    resolver_.cancel();
    ErrorCode ignored;
    if (connecting_) connecting_->close(ignored);  // Asio still looks at it: it must not go yet
    if (channel_) channel_->close();
}

void Dialogue::connect_unix() {
    using Local = asio::local::stream_protocol;
    Local::socket socket(loop_);
    ErrorCode code;  // connecting to a unix socket does not wait: it succeeds or fails at once
    socket.connect(Local::endpoint(endpoint_.path), code);
    asio::post(loop_, [self = shared_from_this(), code,
                       connected = std::make_shared<Local::socket>(std::move(socket))] {
        if (!self->done_) return;
        if (code) return self->fail(why_not_connected(code), code.message());
        self->greet(std::move(*connected));
    });
}

void Dialogue::connect_tcp() {
    ErrorCode not_numeric;
    auto address = asio::ip::make_address(endpoint_.host, not_numeric);
    if (!not_numeric) {  // no need for the resolver, which would start a thread
        tcp::endpoint where(address, static_cast<std::uint16_t>(std::stoul(endpoint_.port)));
        return connect_to(
            tcp::resolver::results_type::create(where, endpoint_.host, endpoint_.port));
    }
    resolver_.async_resolve(
        endpoint_.host, endpoint_.port,
        [self = shared_from_this()](ErrorCode code, tcp::resolver::results_type where) {
            if (!self->done_) return;
            if (code) return self->fail(Trouble::unreachable, code.message());
            self->connect_to(std::move(where));
        });
}

void Dialogue::connect_to(tcp::resolver::results_type where) {
    connecting_.emplace(loop_);
    asio::async_connect(*connecting_, where,
                        [self = shared_from_this()](ErrorCode code, const tcp::endpoint& peer) {
                            if (!self->done_) return;
                            if (code) return self->fail(why_not_connected(code), code.message());
                            if (!self->may_show_token(peer)) {
                                return self->fail(Trouble::refused,
                                                  "a token is not sent in plaintext to another "
                                                  "machine: ask with https://");
                            }
                            self->greet(std::move(*self->connecting_));
                        });
}

// By the address that was reached: a name may stand for any.
bool Dialogue::may_show_token(const tcp::endpoint& peer) const {
    return terms_.token.empty() || endpoint_.secure || peer.address().is_loopback();
}

void Dialogue::greet(StreamSocket socket) {
    if (endpoint_.secure && !terms_.tls)
        return fail(Trouble::refused, "https needs certificates, and none are given");
    ErrorCode ignored;  // a unix socket has no such option
    socket.set_option(tcp::no_delay(true), ignored);
    channel_ = endpoint_.secure ? tls_client_channel(std::move(socket), *terms_.tls, endpoint_.host)
                                : clear_channel(std::move(socket));
    channel_->handshake([self = shared_from_this()](ErrorCode code) {
        if (!self->done_) return;
        if (code)
            return self->fail(is_tls_refusal(code) ? Trouble::refused : Trouble::unreachable,
                              code.message());
        self->ask();
    });
}

void Dialogue::ask() {
    const Duration wait = terms_.head > Duration::zero() ? terms_.head : terms_.answer;
    arm(wait, "no answer within " + in_words(wait));
    write();
    read();  // at the same time: the server may answer, and close, before it has read all
}

void Dialogue::write() {
    auto rest = std::string_view(request_).substr(written_);
    if (rest.empty()) return;
    channel_->write_some(asio::buffer(rest),
                         [self = shared_from_this()](ErrorCode code, std::size_t size) {
                             if (!self->done_ || code) return;  // reading will say what is wrong
                             self->written_ += size;
                             self->write();
                         });
}

void Dialogue::read() {
    channel_->read_some(asio::buffer(input_),
                        [self = shared_from_this()](ErrorCode code, std::size_t size) {
                            if (self->done_) self->on_read(code, size);
                        });
}

void Dialogue::on_read(ErrorCode code, std::size_t size) {
    // Under TLS 1.3 a server that refuses our certificate says so only now.
    if (is_tls_refusal(code)) return fail(Trouble::refused, code.message());
    std::string wrong = code ? reader_->feed_end() : reader_->feed({input_.data(), size});
    if (!done_) return;  // cancelled by the reader of the pieces
    const bool upgraded = reader_->done() && reader_->answer().status == 101;
    if (upgraded && terms_.on_upgraded) return hand_over();
    if (reader_->done()) return finish(std::move(reader_->answer()));
    if (code) return fail(Trouble::bad_answer, "the answer breaks off: " + code.message());
    if (!wrong.empty()) return fail(Trouble::bad_answer, "the answer is no HTTP: " + wrong);
    if (reader_->streams() && reader_->header_done())
        arm(terms_.answer, "silent for " + in_words(terms_.answer));
    read();
}

void Dialogue::arm(Duration wait, std::string what) {
    timer_.expires_after(wait);
    timer_.async_wait([self = shared_from_this(), what = std::move(what)](ErrorCode code) {
        if (code || !self->done_) return;
        if (self->timer_.expiry() > std::chrono::steady_clock::now()) return;  // armed anew
        self->fail(Trouble::timeout, what);
    });
}

void Dialogue::fail(Trouble trouble, const std::string& what) {
    bool sent = written_ > 0 && trouble != Trouble::refused;
    finish(Failure{trouble, endpoint_.text + ": " + what, sent});
}

void Dialogue::hand_over() {
    done_ = {};
    timer_.cancel();
    terms_.on_upgraded(std::move(channel_), reader_->rest());
}

void Dialogue::finish(Outcome outcome) {
    auto done = std::exchange(done_, {});
    cancel();
    done(std::move(outcome));
}

}  // namespace conclave::net
