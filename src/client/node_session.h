// client/node_session.h -- a session at one node, kept alive, and until when it has what the node
// lends: the lead of a group, or a stay in a mutex.
//
// An answer says how long something holds. That counts from before the question was sent, on our
// own clock, which goes on while the machine sleeps: whoever compares it with `until` is never
// later than the node.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/answer.h"
#include "core/types.h"

namespace conclave::client {

constexpr Attribute largest_priority = 1'000'000'000;  // either way; far from where a sum overflows

class NodeSession : public std::enable_shared_from_this<NodeSession> {
public:
    struct Loan {                             // what is asked for
        std::string target;                   // where
        std::string list;                     // in which list of a renewal it stands,
        std::string kind;                     //   under which key,
        std::string name;                     //   which one of them,
        std::string number;                   //   and the key of its number
        std::optional<Attribute> priority{};  // among those who want it; none: as the node
    };
    struct Plan {
        net::ClientOptions way{};  // to one endpoint
        Duration timeout{};        // of an answer
        Loan loan{};
        std::function<void()> renewed{};  // after each renewal, and when the session is over
    };
    struct Mandate {
        std::uint64_t number = 0;  // each has its own
        Instant until{};
    };

    NodeSession(boost::asio::io_context& loop, Plan plan) : loop_(loop), plan_(std::move(plan)) {}

    using Done = std::function<void(const Said&)>;
    void open(const std::string& name, Duration ttl, Done done);
    // When it is granted, the next renewal says until when; `ahead` of that it is renewed.
    void borrow(Duration wait, Duration ahead, Done done);
    void end(std::function<void()> done);  // whether or not the node hears it

    const std::string& node() const { return node_; }
    Duration ttl() const { return ttl_; }
    // The node has said so, or has said nothing for longer than it lasts.
    bool over() const { return id_.empty(); }
    const std::optional<Mandate>& mandate() const { return mandate_; }

private:
    void ask(const char* method, const std::string& target, const boost::json::value& body,
             Duration limit, Done done);
    bool opened(const boost::json::value& given);
    void renew();
    void renewed(const Said& answered, Instant sent);
    void take_mandate(const boost::json::value& body, Instant sent);
    void renew_after(Duration wait);

    boost::asio::io_context& loop_;
    Plan plan_;
    boost::asio::steady_timer timer_{loop_};
    std::string id_, node_;  // no id: it is not open yet, or over
    Instant renewed_{};      // sent then: the last question that kept it alive
    Duration ttl_{}, ahead_{};
    bool asking_ = false, again_ = false;  // one renewal at a time, so that none overtakes another
    bool lost_ = false;                    // what was lent: it never comes back
    std::optional<Mandate> mandate_;
};

}  // namespace conclave::client
