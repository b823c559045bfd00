// engine/etcd_gateway.h -- etcd's JSON gateway: questions, streams, and who we are.
//
// It keeps to one server as long as that answers; whatever is asked may be asked twice, so a server
// that does not answer is passed over at once. The gateway wants bytes in base64 and numbers as
// text, and leaves out whatever is zero or empty.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "engine/place.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace conclave::engine::etcd {

struct Answer {
    boost::json::value body;
    std::string server;
};
struct Complaint {  // it has understood, and will not
    int code = 0;   // gRPC's
    std::string what;
};
inline constexpr int not_found = 5;  // of a lease, for instance
using Outcome = std::variant<Answer, Complaint, net::Failure>;

class Gateway : public std::enable_shared_from_this<Gateway> {
public:
    static Result<std::shared_ptr<Gateway>> make(boost::asio::io_context& loop, const Place& place);

    // `told` is called once, from the loop, never from inside this call, within about `limit`:
    // every server gets its share of that.
    void ask(const std::string& path, const boost::json::object& question, Duration limit,
             std::function<void(Outcome)> told);

    // Each message of an endless answer, until it is let go of or `ended`.
    class Stream;
    struct Ears {
        std::function<void(const boost::json::value&)> heard;
        std::function<void(const net::Failure&)> ended;
    };
    std::shared_ptr<Stream> listen(const std::string& path, const boost::json::object& question,
                                   Ears ears);

    const std::string& server() const { return options_.endpoints[at_].text; }
    Duration timeout() const { return timeout_; }
    boost::asio::io_context& loop() { return loop_; }

private:
    class Inquiry;
    Gateway(boost::asio::io_context& loop, const Place& place, std::optional<net::Tls> tls,
            std::vector<net::HttpEndpoint> endpoints);
    net::Call call(const std::string& path, const std::string& body) const;

    boost::asio::io_context& loop_;
    std::optional<net::Tls> tls_;
    net::ClientOptions options_;
    const std::string user_, password_;
    const Duration timeout_;
    std::string token_;
    std::size_t at_ = 0;  // whom we ask
};

}  // namespace conclave::engine::etcd
