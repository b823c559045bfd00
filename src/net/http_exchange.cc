#include "net/http_exchange.h"

#include <cassert>
#include <stdexcept>
#include <utility>

#include "net/http_connection.h"

namespace conclave::net {

Exchange::Exchange(std::weak_ptr<Connection> connection, Request request, Observer observer)
    : connection_(std::move(connection)),
      request_(std::move(request)),
      observer_(std::move(observer)),
      asked_at_(std::chrono::steady_clock::now()) {}

Exchange::~Exchange() {
    if (stage_ == Stage::asked) problem(500, "No answer", "the server forgot to answer");
    auto connection = connection_.lock();
    if (connection && stage_ == Stage::streaming) connection->end_stream();
    if (connection && stage_ == Stage::upgraded) connection->close();
}

void Exchange::routed(std::string name, Words parameters) {
    route_ = std::move(name);
    request_.parameters = std::move(parameters);
}

void Exchange::header(std::string name, std::string value) {
    if ((name + value).find_first_of("\r\n") != std::string::npos)
        throw std::invalid_argument("a line break in a field of the answer");
    fields_.push_back({std::move(name), std::move(value)});
}

void Exchange::respond(unsigned status, std::string_view content_type, std::string body) {
    if (gone()) return;
    assert(stage_ == Stage::asked);
    answer(status, content_type, std::move(body));
}

void Exchange::problem(unsigned status, std::string_view title, std::string_view detail) {
    respond(status, "application/problem+json", problem_text(status, title, detail));
}

void Exchange::answer(unsigned status, std::string_view content_type, std::string body) {
    stage_ = Stage::answered;
    observe(status);
    auto told = std::exchange(told_, {});  // it may hold this exchange: let go of it last
    if (!content_type.empty()) header("Content-Type", std::string(content_type));
    if (auto connection = connection_.lock())
        connection->answer(request_, status, std::move(fields_), std::move(body));
}

void Exchange::stream() {
    if (gone()) return;
    assert(stage_ == Stage::asked);
    header("Cache-Control", "no-cache");
    if (request_.method == "HEAD") return answer(200, "text/event-stream", {});
    stage_ = Stage::streaming;
    observe(200);
    header("Content-Type", "text/event-stream");
    if (auto connection = connection_.lock())
        connection->begin_stream(request_, std::move(fields_));
}

bool Exchange::event(const ServerEvent& event) {
    if (stage_ != Stage::streaming) return false;
    auto connection = connection_.lock();
    if (connection) connection->send_piece(event_text(event));
    return stage_ == Stage::streaming;
}

void Exchange::upgrade(std::string protocol, Arrived arrived) {
    if (gone()) return;
    assert(stage_ == Stage::asked);
    stage_ = Stage::upgraded;
    observe(101);
    header("Connection", "Upgrade");
    header("Upgrade", std::move(protocol));
    if (auto connection = connection_.lock())
        connection->begin_bytes(std::move(fields_), std::move(arrived));
}

bool Exchange::send(std::string_view bytes) {
    if (stage_ != Stage::upgraded) return false;
    auto connection = connection_.lock();
    if (connection) connection->send_bytes(bytes);
    return stage_ == Stage::upgraded;
}

void Exchange::hang_up() {
    if (auto connection = connection_.lock()) connection->close();
}

void Exchange::on_gone(std::function<void()> told) {
    if (stage_ != Stage::answered && !gone()) told_ = std::move(told);
}

void Exchange::client_has_gone() {
    if (stage_ == Stage::asked) observe(client_left);
    if (stage_ != Stage::answered) stage_ = Stage::gone;
    if (auto told = std::exchange(told_, {})) told();
}

void Exchange::observe(unsigned status) {
    if (observer_) observer_(route_, status, std::chrono::steady_clock::now() - asked_at_);
}

}  // namespace conclave::net
