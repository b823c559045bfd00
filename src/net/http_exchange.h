// net/http_exchange.h -- one request and the answer to it, now or later.
//
// The handler holds the exchange for as long as it means to say something: a long poll keeps it and
// answers when there is news, a stream keeps it and sends events, and who speaks another protocol
// from here on keeps it and sends bytes. Letting go of it unanswered is a 500 for the client,
// letting go of a stream or of a protocol ends it. All on the thread of the loop.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/types.h"
#include "net/http_message.h"
#include "net/server_sent_events.h"

namespace conclave::net {

class Connection;
class Exchange;

using Handler = std::function<void(const std::shared_ptr<Exchange>&)>;

// How each request ended: the route's name, the status (499: the client left first), and the time
// until the answer began. For requests that match no route, and for what is no request, the name is
// `unrouted`.
using Observer = std::function<void(std::string_view route, unsigned status, Duration took)>;
inline constexpr std::string_view unrouted = "none";
inline constexpr unsigned client_left = 499;  // never sent, only observed

class Exchange {
public:
    Exchange(std::weak_ptr<Connection> connection, Request request, Observer observer);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    const Request& request() const { return request_; }
    // The router's: the name for the observer, and what stood at the pattern's {name}s.
    void routed(std::string name, Words parameters);

    // A field of the answer that is still to come. Throws at a line break, which would let whoever
    // chose the value forge an answer; the server makes a 500 of it.
    void header(std::string name, std::string value);

    // Exactly one of these four; what comes after the client has left is not sent.
    void respond(unsigned status, std::string_view content_type, std::string body);
    void problem(unsigned status, std::string_view title, std::string_view detail);
    void stream();  // begins server-sent events
    // No HTTP any more: 101, and then whatever the client says comes to `arrived`.
    using Arrived = std::function<void(std::string_view bytes)>;
    void upgrade(std::string protocol, Arrived arrived);

    // False: the client has gone, or does not read and was cut off.
    bool event(const ServerEvent& event);
    bool send(std::string_view bytes);  // of the other protocol
    void hang_up();                     // to a client that is not worth an answer

    bool pending() const { return stage_ == Stage::asked; }  // not answered, client still there
    bool gone() const { return stage_ == Stage::gone; }
    // Called once if the client leaves before the answer, during the stream or the other protocol.
    // It may hold the exchange itself: it is let go of with the last answer.
    void on_gone(std::function<void()> told);

private:
    friend class Connection;
    enum class Stage { asked, streaming, upgraded, answered, gone };

    void answer(unsigned status, std::string_view content_type, std::string body);
    void observe(unsigned status);
    void client_has_gone();

    std::weak_ptr<Connection> connection_;
    Request request_;
    HeaderFields fields_;
    Observer observer_;
    std::string route_{unrouted};
    std::chrono::steady_clock::time_point asked_at_;
    std::function<void()> told_;
    Stage stage_ = Stage::asked;
};

}  // namespace conclave::net
