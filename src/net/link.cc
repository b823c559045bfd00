// net/link.cc -- at most one write in flight; what comes meanwhile is the next batch.
#include "net/link.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cassert>
#include <utility>

#include "net/socket_options.h"

namespace conclave::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t worth_keeping = 256 * 1024;  // of a buffer, for the next batch
constexpr const char* closed_by_peer = "it closed the connection";

void empty(Bytes& buffer) {
    buffer.clear();
    if (buffer.capacity() > worth_keeping) Bytes().swap(buffer);
}

std::string in_milliseconds(Duration time) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
    return std::to_string(ms) + " ms";
}

}  // namespace

Traffic& Traffic::operator+=(const Traffic& more) {
    frames_sent += more.frames_sent;
    frames_received += more.frames_received;
    bytes_sent += more.bytes_sent;
    bytes_received += more.bytes_received;
    writes += more.writes;
    dropped += more.dropped;
    links += more.links;
    return *this;
}

Link::Link(Socket socket, Tls* tls, const LinkLimits& limits, Owner& owner)
    : socket_(std::move(socket)),
      deadline_(socket_.get_executor()),
      limits_(limits),
      owner_(&owner) {
    if (tls) tls_.emplace(*tls);
}

void Link::dial(const asio::ip::tcp::endpoint& to) {
    remote_ = to.address().to_string();
    set_deadline(limits_.hello_within, "no hello within " + in_milliseconds(limits_.hello_within));
    socket_.async_connect(to, [self = shared_from_this()](const ErrorCode& error) {
        if (self->closed()) return;
        if (error) return self->end(error.message());
        self->connected();
    });
}

// To connect, the loop has asked to be told when the socket can be written to, and would be told
// after each wait for something to read: it gets to know the socket anew.
void Link::connected() {
    ErrorCode error;
    const auto protocol = socket_.local_endpoint(error).protocol();
    if (!error) {
        const int known = socket_.release(error);
        if (!error) socket_.assign(protocol, known, error);
        if (!socket_.is_open()) ::close(known);
    }
    if (error) return end(explain(error));
    start(TlsRecords::Role::caller);
}

void Link::serve() {
    ErrorCode error;
    const auto from = socket_.remote_endpoint(error);
    if (!error) remote_ = from.address().to_string();
    set_deadline(limits_.hello_within, "no hello within " + in_milliseconds(limits_.hello_within));
    start(TlsRecords::Role::called);
}

void Link::tune() {
    ErrorCode ignored;
    socket_.non_blocking(true, ignored);  // who reads or writes must not wait
    const int socket = socket_.native_handle();
    const auto patience = std::chrono::ceil<std::chrono::milliseconds>(limits_.unacknowledged);
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, patience.count());
    // For links on which nobody has anything to say: then the kernel asks the other end.
    set_option(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(socket, IPPROTO_TCP, TCP_KEEPIDLE,
               std::chrono::ceil<std::chrono::seconds>(patience).count());
    set_option(socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
}

void Link::start(TlsRecords::Role role) {
    tune();
    if (tls_) {
        tls_->begin(role);
        shake_hands();
    } else {
        open();
    }
    if (!closed()) wait();
}

void Link::shake_hands() {
    const auto outcome = tls_->shake_hands();
    flush();
    if (outcome == TlsRecords::Handshake::failed) return end(tls_->problem());
    if (outcome == TlsRecords::Handshake::under_way) return;
    open();
    if (!closed()) unseal();  // what was said right after the handshake came with it
}

void Link::open() {
    stage_ = Stage::greeting;
    owner_->opened(*this);
}

void Link::wait() {
    socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const ErrorCode& error) {
        if (!self->closed()) self->wake(error);
    });
}

void Link::wake(const ErrorCode& error) {
    if (error) return end(explain(error));
    stage_ == Stage::up ? owner_->woken(*this) : receive();
}

void Link::receive() {
    ErrorCode ended;
    fetched_ = socket_.read_some(asio::buffer(chunk_), ended);
    waited_ = {};
    if (ended && ended != asio::error::would_block) return end(explain(ended));
    digest();
    if (!closed()) wait();
}

std::optional<Duration> Link::fetch() {
    if (stage_ != Stage::up) return std::nullopt;
    ErrorCode nothing;  // or the end, for which we are woken in any case
    fetched_ = socket_.read_some(asio::buffer(chunk_), nothing);
    if (fetched_ == 0) return std::nullopt;
    waited_ = since_last_word(socket_.native_handle());
    return waited_;
}

void Link::digest() {
    const ByteView bytes = ByteView(chunk_).first(std::exchange(fetched_, 0));
    // While we leave, whatever still comes is read and thrown away: to close a socket with unread
    // bytes resets the connection, and the goodbye might be lost with it.
    if (bytes.empty() || stage_ >= Stage::leaving) return;
    if (tls_) {
        tls_->feed(bytes);
        stage_ == Stage::opening ? shake_hands() : unseal();
    } else {
        hear(bytes);
    }
    if (stage_ == Stage::up) doze();
}

// The rest of a frame that has begun may be short, and somebody waits for it.
void Link::doze() {
    const bool begun = reader_.waiting() > 0 || (tls_ && tls_->partial());
    std::size_t enough = 1;
    if (ring_ > 0 && !begun) enough = ring_ + (tls_ ? TlsRecords::overhead : 0);
    if (std::exchange(wakes_at_, enough) == enough) return;
    set_option(socket_.native_handle(), SOL_SOCKET, SO_RCVLOWAT, static_cast<std::int64_t>(enough));
}

void Link::unseal() {
    while (stage_ < Stage::leaving) {
        const auto said = tls_->read(chunk_);
        if (!said) {
            batch_.clear();  // nothing can be said any more, but what we do not like
            flush();
            if (!closed()) end(tls_->problem().empty() ? closed_by_peer : tls_->problem());
            return;
        }
        if (said->empty()) break;
        hear(*said);
    }
    if (!closed() && tls_->waiting()) flush_soon();
}

void Link::hear(ByteView said) {
    traffic.bytes_received += said.size();
    reader_.feed(said);
    while (stage_ < Stage::leaving) {
        const auto frame = reader_.next();
        if (!frame) break;
        if (frame->kind == wire::Kind::filler) continue;
        ++traffic.frames_received;
        take(*frame);
    }
    if (stage_ < Stage::leaving && reader_.problem()) end(reader_.problem()->what, true);
}

void Link::take(const wire::Frame& frame) {
    if (frame.kind == wire::Kind::bye) {
        const auto bye = wire::read_bye(frame.body);
        return end("it said goodbye: " + (bye ? bye->why : bye.error().what));
    }
    if (stage_ == Stage::greeting) {
        if (frame.kind == wire::Kind::hello) return take_hello(frame.body);
        return end("its first frame is not a hello", true);
    }
    if (frame.kind == wire::Kind::hello) return end("it said hello twice", true);
    const bool can_wait = frame.kind == wire::Kind::murmur;
    if (frame.kind != wire::Kind::letter && !can_wait) return;  // of a newer version
    const auto letter = wire::read_letter(frame.body);
    if (!letter) return end("a letter without a group", true);
    owner_->arrived(*this, *letter, can_wait ? waited_ : Duration{});
}

void Link::take_hello(ByteView body) {
    auto hello = wire::read_hello(body);
    if (!hello) return end(hello.error().what, true);
    owner_->greeted(*this, std::move(*hello));
}

void Link::say(const wire::Hello& ours) {
    [[maybe_unused]] const auto wrong = wire::append_hello(batch_, ours);
    assert(!wrong);  // the owner has looked at it before it used it
    ++traffic.frames_sent;
    flush_soon();
}

void Link::welcome(const wire::Hello& theirs) {
    assert(stage_ == Stage::greeting);
    stage_ = Stage::up;
    deadline_.cancel();
    if (tls_) tls_->keep_buffers();
    reader_.set_limit(limits_.frame);
    constexpr std::uint32_t most = 1024;  // whoever says more would wake nobody
    ring_ = std::min(theirs.ring, most);
}

void Link::send(std::uint32_t group, ByteView message, Hurry hurry) {
    const std::size_t before = batch_.size();
    const auto append =
        hurry == Hurry::can_wait && ring_ > 0 ? wire::append_murmur : wire::append_letter;
    // Not ended here and now: the sender is in the middle of something, and would be told in it.
    overfull_ = overfull_ || batch_.size() + outgoing_.size() + message.size() > limits_.backlog;
    if (stage_ != Stage::up || overfull_ || !append(batch_, group, message, limits_.frame)) {
        ++traffic.dropped;
    } else {
        ++traffic.frames_sent;
        if (hurry == Hurry::at_once) rings_from_ = before;
    }
    flush_soon();
}

void Link::flush_soon() {
    if (std::exchange(flush_due_, true)) return;
    if (owner_ && owner_->gathers()) return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->flush_due(); });
}

void Link::flush_due() {
    if (std::exchange(flush_due_, false)) flush();
}

void Link::flush() {
    if (closed()) return;
    if (overfull_ && stage_ == Stage::up)
        return end("it does not read: more than " + std::to_string(limits_.backlog) +
                   " bytes wait for it");
    if (writing_) return;
    if (!batch_.empty()) {
        ring();
        traffic.bytes_sent += batch_.size();
        ++traffic.writes;
        if (tls_) {
            const bool sealed = tls_->write(batch_);
            empty(batch_);
            if (!sealed) return end_soon();
        } else {
            std::swap(batch_, outgoing_);
        }
    }
    if (tls_) tls_->take(outgoing_);
    if (!outgoing_.empty()) carry();
}

// Not here and now: whoever sends is in the middle of something.
void Link::end_soon() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        if (!self->closed()) self->end(self->tls_->problem());
    });
}

// Hellos are read by who does not doze yet, and behind a goodbye the connection ends.
void Link::ring() {
    if (!rings_from_) return;
    const std::size_t size = batch_.size() - *std::exchange(rings_from_, std::nullopt);
    constexpr std::size_t least = 2;  // bytes, of a filler
    if (size < wire::ring_size)
        wire::append_filler(batch_, std::max(least, wire::ring_size - size));
}

// Nearly always the kernel takes all of it at once, and there is nothing to wait for. If it takes
// none, the write that waits will say why.
void Link::carry() {
    writing_ = true;
    ErrorCode refused;
    const std::size_t carried = socket_.write_some(asio::buffer(outgoing_), refused);
    if (!refused && carried == outgoing_.size()) return written({});
    asio::async_write(
        socket_, asio::buffer(outgoing_) + (refused ? 0 : carried),
        [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->written(error); });
}

void Link::written(const ErrorCode& error) {
    writing_ = false;
    if (closed()) return;
    if (error) return end(explain(error));
    empty(outgoing_);
    flush();
    ErrorCode ignored;
    if (stage_ == Stage::leaving && !writing_) socket_.shutdown(Socket::shutdown_send, ignored);
}

void Link::leave(const std::string& why) {
    if (stage_ >= Stage::leaving) return;
    if (stage_ == Stage::opening) return shut();  // there is nobody to say it to
    stage_ = Stage::leaving;
    set_deadline(limits_.linger, "");
    wire::append_bye(batch_, why);
    ++traffic.frames_sent;
    flush();
}

void Link::close() {
    disown();
    shut();
}

void Link::shut() {
    stage_ = Stage::closed;
    deadline_.cancel();
    ErrorCode ignored;
    socket_.close(ignored);
}

void Link::end(const std::string& why, bool say_so) {
    const bool was_leaving = stage_ == Stage::leaving;
    if (say_so && !was_leaving)
        leave(why);
    else
        shut();
    if (owner_ && !was_leaving) owner_->ended(*this, why);
    if (owner_ && closed()) owner_->gone(*this);
}

void Link::set_deadline(Duration from_now, const std::string& why) {
    deadline_.expires_after(from_now);
    deadline_.async_wait([self = shared_from_this(), why](const ErrorCode& error) {
        // Neither cancelled, nor set anew while this call was waiting in the queue.
        const bool due =
            !error && self->deadline_.expiry() <= asio::steady_timer::clock_type::now();
        if (due && !self->closed() && self->stage_ != Stage::up) self->end(why);
    });
}

std::optional<Certificate> Link::certificate() {
    if (!tls_) return std::nullopt;
    return peer_certificate(tls_->native());
}

std::string Link::explain(const ErrorCode& error) {
    return error == asio::error::eof ? std::string(closed_by_peer) : error.message();
}

}  // namespace conclave::net
