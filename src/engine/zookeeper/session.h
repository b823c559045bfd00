// engine/zookeeper/session.h -- one session of the ZooKeeper client, on our loop.
//
// The client has two threads per session and calls back on them. Whatever it says is posted to the
// loop, and dropped there if the session was closed in the meantime: what an ear or an answer
// refers to need only live as long as the loop's side does.
#pragma once
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/types.h"
#include "engine/zookeeper/porter.h"

namespace conclave::engine::zookeeper {

struct Answer {
    int code = 0;        // of enum ZOO_ERRORS
    std::string text{};  // the path that was made, or the data that was read
    std::int64_t czxid = 0;
    std::vector<std::string> names{};
};

// Of an answer's code: whether it says nothing, because a connection or a session is no more.
bool is_broken(int code);
bool is_refusal(int code);
bool is_missing(int code);  // the node
bool is_there(int code);    // already
std::string words_of(int code);

class Session : public std::enable_shared_from_this<Session> {
public:
    struct Settings {
        std::string servers;      // HOST:PORT,HOST:PORT
        std::string credentials;  // USER:PASSWORD; what is made is then its maker's alone
        Duration length{};        // to ask for
    };
    enum class End : std::uint8_t { expired, refused, unknown_host };
    struct Ears {
        std::function<void()> connected;  // also again; the session is still there
        std::function<void()> disconnected;
        std::function<void(End)> ended;                        // nothing more will be answered
        std::function<void(const std::string& path)> changed;  // what was read with `watch`, once
    };
    static std::shared_ptr<Session> open(boost::asio::io_context& loop,
                                         std::shared_ptr<Porter> porter, Settings settings,
                                         Ears ears);
    ~Session() { close(); }
    void close();
    // The client keeps a session alive by itself, whoever needs it no more. This one ends, as if it
    // had expired, if it is not told this again in time: its loop stands still.
    void keep_for(Duration length);

    bool is_closed() const { return closed_; }
    bool is_connected() const { return connected_; }
    Duration length() const { return length_; }  // as it was granted, once connected
    const std::string& server() const { return server_; }

    using Done = std::function<void(const Answer&)>;  // once, later, unless it is closed before
    enum class Node : std::uint8_t { ticket, folder };
    void create(const std::string& path, const std::string& data, Node node, Done done);
    void remove(const std::string& path, Done done);
    void read(const std::string& path, bool watch, Done done);
    void list(const std::string& path, bool watch, Done done);
    void await(const std::string& path, Done done);  // a node that is missing is watched as well
    void sync(const std::string& path, Done done);
    void check(const std::string& path, Done done);  // a write that changes nothing: it is there

    struct Wire;  // what the client's threads see
    struct Request;

private:
    struct News {
        int type, state;
        std::string path, server;
        Duration length{};
    };
    Session(boost::asio::io_context& loop, std::shared_ptr<Porter> porter, Settings settings,
            Ears ears);
    void take(const News& news);
    void end(End end);
    template <class Call> void ask(Done done, const Call& call);

    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::shared_ptr<Porter> porter_;
    const Settings settings_;
    const Ears ears_;
    std::shared_ptr<Wire> wire_;
    bool closed_ = false, connected_ = false;
    Duration length_{};
    std::string server_;
};

}  // namespace conclave::engine::zookeeper
