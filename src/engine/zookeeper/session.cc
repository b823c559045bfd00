#include "engine/zookeeper/session.h"

#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <mutex>
#include <set>
#include <utility>

#include "net/clock.h"

namespace conclave::engine::zookeeper {

bool is_broken(int code) {
    return code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT || code == ZSESSIONMOVED ||
           code == ZSESSIONEXPIRED || code == ZINVALIDSTATE || code == ZCLOSING ||
           code == ZMARSHALLINGERROR;  // as a transaction says that the session has expired
}
bool is_refusal(int code) {
    return code == ZNOAUTH || code == ZAUTHFAILED || code == ZINVALIDACL ||
           code == ZSESSIONCLOSEDREQUIRESASLAUTH;
}
bool is_missing(int code) { return code == ZNONODE; }
bool is_there(int code) { return code == ZNODEEXISTS; }

std::string words_of(int code) {
    if (code == ZUNIMPLEMENTED) return "the server is too old: it must be ZooKeeper 3.5.3 or later";
    if (code == ZBADARGUMENTS) return "that is no path of a node";
    if (code == ZNOAUTH) return "not allowed with these credentials";
    return zerror(code);
}

struct Session::Request {
    std::shared_ptr<Wire> wire;
    Done done;
    zoo_op_t operation{};  // the client writes here until it answers
    zoo_op_result_t result{};

    static void finish(const void* request, Answer answer);  // once, and it is gone
};

struct Session::Wire {
    explicit Wire(boost::asio::io_context& of) : loop(of) {}

    boost::asio::io_context& loop;
    std::weak_ptr<Session> session{};
    zhandle_t* opened = nullptr;  // of the porter's thread
    std::mutex mutex{};
    zhandle_t* handle = nullptr;  // the same, for others, while it may be used
    bool closing = false;
    std::set<Request*> asked{};  // and not answered yet

    void close() {  // from the porter's
        {
            const std::lock_guard lock(mutex);
            handle = nullptr;
            closing = true;
        }
        if (opened) zookeeper_close(std::exchange(opened, nullptr));
        // The client, when it is closed, does not answer all.
        for (Request* request : std::set(asked)) Request::finish(request, {ZCLOSING});
    }
    // From the client's own.
    static void hear(zhandle_t* handle, int type, int state, const char* path, void* context);
};

void Session::Wire::hear(zhandle_t* handle, int type, int state, const char* path, void* context) {
    Wire* wire = static_cast<Wire*>(context);
    News news{type, state, path ? path : "", "", {}};
    if (state == ZOO_CONNECTED_STATE) {
        const char* server = zoo_get_current_server(handle);
        news.server = server ? server : "";
        news.length = std::chrono::milliseconds(zoo_recv_timeout(handle));
    }
    {
        const std::lock_guard lock(wire->mutex);
        if (!wire->closing) wire->handle = handle;  // it may speak before it is opened
    }
    boost::asio::post(wire->loop, [weak = wire->session, news = std::move(news)] {
        const auto session = weak.lock();
        if (session && !session->closed_) session->take(news);
    });
}

// It is destroyed on the loop, and with it whatever `done` holds on to.
void Session::Request::finish(const void* data, Answer answer) {
    auto request = std::shared_ptr<Request>(static_cast<Request*>(const_cast<void*>(data)));
    Wire& wire = *request->wire;
    {
        const std::lock_guard lock(wire.mutex);
        wire.asked.erase(request.get());
    }
    boost::asio::post(wire.loop, [request = std::move(request), answer = std::move(answer)] {
        const auto session = request->wire->session.lock();
        if (session && !session->is_closed()) request->done(answer);
    });
}

namespace {

// The client's own words would go to standard error, which is the application's.
void hear_nothing(const char*) {}

int milliseconds(Duration length) {
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(length).count());
}

void told_nothing(int code, const void* data) { Session::Request::finish(data, {code}); }
void told_path(int code, const char* path, const struct Stat* stat, const void* data) {
    Session::Request::finish(data, {code, path ? path : "", stat ? stat->czxid : 0});
}
void told_text(int code, const char*, const void* data) { Session::Request::finish(data, {code}); }
void told_data(int code, const char* text, int size, const struct Stat* stat, const void* data) {
    Answer answer{code};
    if (text && size > 0) answer.text.assign(text, static_cast<std::size_t>(size));
    if (stat) answer.czxid = stat->czxid;
    Session::Request::finish(data, std::move(answer));
}
void told_stat(int code, const struct Stat* stat, const void* data) {
    Session::Request::finish(data, {code, "", stat ? stat->czxid : 0});
}
void told_names(int code, const struct String_vector* names, const void* data) {
    Answer answer{code};
    if (names) answer.names.assign(names->data, names->data + names->count);
    Session::Request::finish(data, std::move(answer));
}

}  // namespace

Session::Session(boost::asio::io_context& loop, std::shared_ptr<Porter> porter, Settings settings,
                 Ears ears)
    : work_(loop.get_executor()),
      porter_(std::move(porter)),
      settings_(std::move(settings)),
      ears_(std::move(ears)),
      wire_(std::make_shared<Wire>(loop)) {}

std::shared_ptr<Session> Session::open(boost::asio::io_context& loop,
                                       std::shared_ptr<Porter> porter, Settings settings,
                                       Ears ears) {
    const std::shared_ptr<Session> session(
        new Session(loop, std::move(porter), std::move(settings), std::move(ears)));
    session->wire_->session = session;
    session->porter_->run([wire = session->wire_, to = session->settings_] {
        wire->opened = zookeeper_init2(to.servers.c_str(), Wire::hear, milliseconds(to.length),
                                       nullptr, wire.get(), ZOO_NO_LOG_CLIENTENV, hear_nothing);
        if (!wire->opened) {
            return boost::asio::post(wire->loop, [weak = wire->session] {
                if (const auto self = weak.lock()) self->end(End::unknown_host);
            });
        }
        if (to.credentials.empty()) return;
        zoo_add_auth(wire->opened, "digest", to.credentials.data(),
                     static_cast<int>(to.credentials.size()), nullptr, nullptr);
    });
    return session;
}

// Nobody waits for it: not the loop, and whoever ends the engine not for long.
void Session::close() {
    if (std::exchange(closed_, true)) return;
    connected_ = false;
    work_.reset();
    porter_->forget(wire_.get());
    porter_->run([wire = wire_] { wire->close(); });
}

void Session::keep_for(Duration length) {
    if (closed_) return;
    porter_->at(wire_.get(), net::now() + length, [wire = wire_] {
        wire->close();
        boost::asio::post(wire->loop, [weak = wire->session] {
            if (const auto session = weak.lock()) session->end(End::expired);
        });
    });
}

void Session::end(End end) {
    if (closed_) return;
    const auto self = shared_from_this();
    close();
    ears_.ended(end);
}

void Session::take(const News& news) {
    if (news.type == ZOO_NOTWATCHING_EVENT) return;
    if (news.type != ZOO_SESSION_EVENT) return ears_.changed(news.path);
    if (news.state == ZOO_EXPIRED_SESSION_STATE) return end(End::expired);
    if (news.state == ZOO_AUTH_FAILED_STATE) return end(End::refused);
    if (news.state == ZOO_CONNECTED_STATE) {
        length_ = news.length;
        server_ = news.server;
        // A connection that broke while we were sending is replaced without another word.
        connected_ = true;
        ears_.connected();
    } else if (std::exchange(connected_, false)) {
        ears_.disconnected();
    }
}

template <class Call> void Session::ask(Done done, const Call& call) {
    auto request = std::make_unique<Request>(Request{wire_, std::move(done)});
    int code = ZCONNECTIONLOSS;
    {
        const std::lock_guard lock(wire_->mutex);
        if (connected_ && wire_->handle) code = call(wire_->handle, request.get());
        if (code == ZOK) wire_->asked.insert(request.get());
    }
    Request* const asked = request.release();  // the answer's
    if (code != ZOK) Request::finish(asked, {code});
}

void Session::create(const std::string& path, const std::string& data, Node node, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_acreate2(
            handle, path.c_str(), data.data(), static_cast<int>(data.size()),
            settings_.credentials.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL,
            node == Node::ticket ? ZOO_EPHEMERAL_SEQUENTIAL : ZOO_CONTAINER, told_path, request);
    });
}
void Session::remove(const std::string& path, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_adelete(handle, path.c_str(), -1, told_nothing, request);
    });
}
void Session::read(const std::string& path, bool watch, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_awget(handle, path.c_str(), watch ? Wire::hear : nullptr, wire_.get(), told_data,
                         request);
    });
}
void Session::list(const std::string& path, bool watch, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_awget_children(handle, path.c_str(), watch ? Wire::hear : nullptr, wire_.get(),
                                  told_names, request);
    });
}
void Session::await(const std::string& path, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_awexists(handle, path.c_str(), Wire::hear, wire_.get(), told_stat, request);
    });
}
void Session::sync(const std::string& path, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        return zoo_async(handle, path.c_str(), told_text, request);
    });
}
void Session::check(const std::string& path, Done done) {
    ask(std::move(done), [&](zhandle_t* handle, Request* request) {
        zoo_check_op_init(&request->operation, path.c_str(), -1);
        return zoo_amulti(handle, 1, &request->operation, &request->result, told_nothing, request);
    });
}

}  // namespace conclave::engine::zookeeper
