#include "client/line.h"

#include <algorithm>
#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <span>
#include <string>
#include <utility>

#include "net/http_channel.h"
#include "net/patience.h"

namespace conclave::client {

namespace asio = boost::asio;
using net::ErrorCode;

namespace {

// One connection; alive as long as something is under way on it.
class Call : public std::enable_shared_from_this<Call> {
public:
    struct Ears {
        std::function<void(const wire::Frame&)> arrived;
        std::function<void()> broken;
    };
    Call(std::unique_ptr<net::Channel> channel, Ears ears)
        : channel_(std::move(channel)), ears_(std::move(ears)) {}

    void start(const std::string& rest) {
        take(std::as_bytes(std::span(rest)));
        read();
    }
    void send(ByteView frames) {
        output_.insert(output_.end(), frames.begin(), frames.end());
        if (writing_.empty()) write();
    }
    void end() {
        ended_ = true;
        channel_->close();
    }

private:
    void read() {
        if (ended_) return;
        channel_->read_some(asio::buffer(input_),
                            [self = shared_from_this()](ErrorCode error, std::size_t size) {
                                if (error) return self->fail();
                                self->take(std::as_bytes(std::span(self->input_)).first(size));
                                self->read();
                            });
    }
    void take(ByteView bytes) {
        if (ended_) return;
        reader_.feed(bytes);
        while (const auto frame = reader_.next()) {
            ears_.arrived(*frame);
            if (ended_) return;
        }
        if (reader_.problem()) fail();
    }
    void write() {
        if (ended_) return;
        if (written_ == writing_.size()) {
            writing_.clear();
            written_ = 0;
            std::swap(writing_, output_);
        }
        if (writing_.empty()) return;
        channel_->write_some(asio::buffer(writing_) + written_,
                             [self = shared_from_this()](ErrorCode error, std::size_t size) {
                                 if (error) return self->fail();
                                 self->written_ += size;
                                 self->write();
                             });
    }
    void fail() {
        if (std::exchange(ended_, true)) return;
        channel_->close();
        ears_.broken();
    }

    std::unique_ptr<net::Channel> channel_;
    Ears ears_;
    bool ended_ = false;
    wire::FrameReader reader_;
    std::array<char, 4096> input_;
    Bytes output_, writing_;
    std::size_t written_ = 0;  // of writing_
};

}  // namespace

// Shared by whatever is under way on the loop.
class Line::Cord : public std::enable_shared_from_this<Cord> {
public:
    Cord(asio::io_context& loop, Settings settings, Ears ears)
        : loop_(loop),
          settings_(std::move(settings)),
          ears_(std::move(ears)),
          pauses_(loop),
          pause_(settings_.least_pause),
          patience_(settings_.way.endpoints.size(), settings_.way.turn, settings_.answer) {}

    bool is_up() const { return call_ != nullptr; }

    void dial() {
        if (stopped_) return;
        const auto& endpoint = settings_.way.endpoints[next_ % settings_.way.endpoints.size()];
        net::Dialogue::Terms terms;
        terms.tls = settings_.way.tls;
        terms.token = settings_.way.token;
        terms.limits = settings_.way.limits;
        terms.connect = std::min(settings_.way.connect, patience_.now());
        terms.answer = patience_.now();
        // Not shared: the dialogue is ours, and would keep us as long as we keep it.
        terms.on_upgraded = [weak = weak_from_this()](auto channel, const std::string& rest) {
            if (const auto self = weak.lock()) self->connected(std::move(channel), rest);
        };
        dialogue_ = std::make_shared<net::Dialogue>(loop_, endpoint, std::move(terms));
        net::Call question;
        question.target = std::string(wire::guest_target);
        question.upgrade = std::string(wire::guest_protocol);
        dialogue_->start(question, [self = shared_from_this(), endpoint](const auto& outcome) {
            self->refused(endpoint, outcome);
        });
    }

    void send(ByteView frames) {
        if (call_) call_->send(frames);
    }
    void hang_up() {
        if (!call_) return;
        call_->end();
        broken();
    }
    void stop() {
        stopped_ = true;
        pauses_.cancel();
        if (dialogue_) dialogue_->cancel();
        if (const auto call = std::exchange(call_, nullptr)) call->end();
    }

private:
    void connected(std::unique_ptr<net::Channel> channel, const std::string& rest) {
        if (stopped_) return channel->close();
        dialogue_.reset();
        pause_ = settings_.least_pause;
        patience_.rewarded();
        Call::Ears ears;
        ears.arrived = [weak = weak_from_this()](const wire::Frame& frame) {
            if (const auto self = weak.lock()) self->ears_.arrived(frame);
        };
        ears.broken = [weak = weak_from_this()] {
            if (const auto self = weak.lock()) self->broken();
        };
        const auto call = std::make_shared<Call>(std::move(channel), std::move(ears));
        call_ = call;
        ears_.up();
        call->start(rest);
    }
    void refused(const net::HttpEndpoint& endpoint, const net::Outcome& outcome) {
        if (stopped_) return;
        ears_.failed(why_not(endpoint, outcome));
        if (stopped_) return;
        ++next_;
        if (next_ % settings_.way.endpoints.size() != 0) return dial();
        pauses_.expires_after(pause_);
        pause_ = std::min(2 * pause_, settings_.most_pause);
        patience_.in_vain();
        pauses_.async_wait([self = shared_from_this()](const ErrorCode& error) {
            if (!error) self->dial();
        });
    }
    static net::Failure why_not(const net::HttpEndpoint& endpoint, const net::Outcome& outcome) {
        const auto* answer = std::get_if<net::Answer>(&outcome);
        if (!answer) return std::get<net::Failure>(outcome);
        const bool forbidden = answer->status == 401 || answer->status == 403;
        return {forbidden ? net::Trouble::refused : net::Trouble::bad_answer,
                endpoint.text + ": " + detail_of(*answer), true};
    }
    // What the node says is wrong, if it says so.
    static std::string detail_of(const net::Answer& answer) {
        ErrorCode error;
        const boost::json::value problem = boost::json::parse(answer.body, error);
        const auto* object = error ? nullptr : problem.if_object();
        const auto* detail = object ? object->if_contains("detail") : nullptr;
        if (detail && detail->is_string()) return std::string(detail->get_string());
        return "answers " + std::to_string(answer.status);
    }
    void broken() {
        if (stopped_ || !std::exchange(call_, nullptr)) return;
        ++next_;
        ears_.down();
        dial();
    }

    asio::io_context& loop_;
    const Settings settings_;
    const Ears ears_;
    asio::steady_timer pauses_;
    Duration pause_;
    net::Patience patience_;
    std::size_t next_ = 0;  // endpoint
    bool stopped_ = false;
    std::shared_ptr<net::Dialogue> dialogue_;
    std::shared_ptr<Call> call_;
};

Line::Line(asio::io_context& loop, Settings settings, Ears ears)
    : cord_(std::make_shared<Cord>(loop, std::move(settings), std::move(ears))) {}
Line::~Line() { stop(); }

void Line::start() { cord_->dial(); }
bool Line::is_up() const { return cord_->is_up(); }
void Line::send(ByteView frames) { cord_->send(frames); }
void Line::hang_up() { cord_->hang_up(); }
void Line::stop() { cord_->stop(); }

}  // namespace conclave::client
