// net/event_source.h -- follows a stream of server-sent events, across losses and endpoints.
//
// After a loss it asks the next endpoint, with the id of the last event, so the server can resume.
// The events of one endpoint mean something to another only if their ids do: that is the server's
// promise, not ours. Whoever wants the events holds the source; to let go of it is to stop it.
#pragma once
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "net/http_client.h"
#include "net/patience.h"
#include "net/server_sent_events.h"

namespace conclave::net {

struct Subscription {
    std::string target{};
    std::string last_id{};                        // resume behind it; empty: from now on
    Duration pause = std::chrono::seconds(1);     // after every endpoint has failed once
    Duration silence = std::chrono::seconds(45);  // a server sends at least a comment before that
    std::size_t largest_event = 1 << 20;
};

class EventSource : public std::enable_shared_from_this<EventSource> {
public:
    enum class Next { go_on, stop };
    using OnEvent = std::function<Next(const ServerEvent&)>;
    using OnLoss = std::function<Next(const Failure&)>;  // a stream broke off, or was not given

    EventSource(boost::asio::io_context& loop, ClientOptions options, Subscription subscription,
                OnEvent on_event, OnLoss on_loss);

    ~EventSource() { stop(); }

    void start();
    void stop();  // no callback after this

private:
    void connect();
    void on_piece(const Answer& head, std::string_view piece);
    void on_end(Outcome outcome);

    boost::asio::io_context& loop_;
    ClientOptions options_;
    Subscription subscription_;
    OnEvent on_event_;
    OnLoss on_loss_;
    boost::asio::steady_timer timer_;
    Patience patience_;
    std::shared_ptr<Dialogue> dialogue_;
    EventReader reader_;
    std::string refused_body_;  // of an answer that is no stream
    std::size_t next_ = 0;
    bool stopped_ = false;
};

// The same, on a loop of its own; returns when a callback says stop.
void follow(const ClientOptions& options, Subscription subscription, EventSource::OnEvent on_event,
            EventSource::OnLoss on_loss);

}  // namespace conclave::net
