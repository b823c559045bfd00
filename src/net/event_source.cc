#include "net/event_source.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>
#include <utility>

namespace conclave::net {
namespace {

namespace asio = boost::asio;

constexpr std::size_t longest_complaint = 4096;  // kept of an answer that is no stream

bool is_stream(const Answer& head) {
    return head.status == 200 && head.header("content-type").starts_with("text/event-stream");
}

}  // namespace

EventSource::EventSource(asio::io_context& loop, ClientOptions options, Subscription subscription,
                         OnEvent on_event, OnLoss on_loss)
    : loop_(loop),
      options_(std::move(options)),
      subscription_(std::move(subscription)),
      on_event_(std::move(on_event)),
      on_loss_(std::move(on_loss)),
      timer_(loop),
      patience_(options_.endpoints.size(), options_.turn, subscription_.silence),
      reader_(subscription_.largest_event) {
    assert(!options_.endpoints.empty());
}

void EventSource::start() {
    asio::post(loop_, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->connect();
    });
}

void EventSource::stop() {
    stopped_ = true;
    timer_.cancel();
    if (auto dialogue = std::exchange(dialogue_, {})) dialogue->cancel();
}

void EventSource::connect() {
    if (stopped_) return;
    reader_ = EventReader(subscription_.largest_event);
    refused_body_.clear();
    std::weak_ptr<EventSource> weak = weak_from_this();
    Dialogue::Terms terms{.tls = options_.tls,
                          .token = options_.token,
                          .limits = options_.limits,
                          .connect = std::min(options_.connect, patience_.now()),
                          .answer = subscription_.silence,
                          .head = patience_.now(),
                          .on_piece = [weak](const Answer& head, std::string_view piece) {
                              if (auto self = weak.lock()) self->on_piece(head, piece);
                          }};
    Call call{.target = subscription_.target, .fields = {{"Accept", "text/event-stream"}}};
    if (!subscription_.last_id.empty())
        call.fields.push_back({"Last-Event-ID", subscription_.last_id});
    const HttpEndpoint& endpoint = options_.endpoints[next_++ % options_.endpoints.size()];
    dialogue_ = std::make_shared<Dialogue>(loop_, endpoint, std::move(terms));
    dialogue_->start(call, [weak](Outcome outcome) {
        if (auto self = weak.lock()) self->on_end(std::move(outcome));
    });
}

void EventSource::on_piece(const Answer& head, std::string_view piece) {
    if (stopped_) return;
    patience_.rewarded();
    if (!is_stream(head)) {
        refused_body_ += piece.substr(0, longest_complaint - refused_body_.size());
        return;
    }
    bool sound = reader_.feed(piece, [this](const ServerEvent& event) {
        if (stopped_) return;
        subscription_.last_id = event.id.empty() ? subscription_.last_id : event.id;
        if (on_event_(event) == Next::stop) stop();
    });
    if (sound || stopped_) return;
    auto dialogue = std::exchange(dialogue_, {});
    dialogue->cancel();
    on_end(Failure{Trouble::bad_answer, "an event is too large", true});
}

void EventSource::on_end(Outcome outcome) {
    if (stopped_) return;
    const std::string& endpoint = options_.endpoints[(next_ - 1) % options_.endpoints.size()].text;
    Failure failure{Trouble::bad_answer, endpoint + ": the stream has ended", true};
    if (auto* known = std::get_if<Failure>(&outcome)) {
        failure = *known;
    } else if (const Answer& answer = std::get<Answer>(outcome); !is_stream(answer)) {
        failure.what =
            endpoint + ": no stream but " + std::to_string(answer.status) + ' ' + refused_body_;
    }
    if (on_loss_(failure) == Next::stop) return stop();
    if (stopped_) return;
    bool all_tried = next_ % options_.endpoints.size() == 0;
    if (all_tried) patience_.in_vain();
    timer_.expires_after(all_tried ? subscription_.pause : Duration::zero());
    timer_.async_wait([weak = weak_from_this()](ErrorCode code) {
        auto self = weak.lock();
        if (!code && self) self->connect();
    });
}

void follow(const ClientOptions& options, Subscription subscription, EventSource::OnEvent on_event,
            EventSource::OnLoss on_loss) {
    asio::io_context loop(1);
    auto source = std::make_shared<EventSource>(loop, options, std::move(subscription),
                                                std::move(on_event), std::move(on_loss));
    source->start();
    loop.run();
}

}  // namespace conclave::net
