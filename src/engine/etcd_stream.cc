#include "engine/etcd_stream.h"

#include <boost/json/parse.hpp>
#include <chrono>
#include <utility>

namespace conclave::engine::etcd {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_line = 4 << 20;
// Nothing may happen for long. Whoever listens asks other questions meanwhile, and finds out by
// them that the server hangs.
constexpr Duration silence = std::chrono::hours(1);

}  // namespace

void Gateway::Stream::start(const net::ClientOptions& options, const net::Call& call) {
    const std::weak_ptr<Stream> weak = weak_from_this();
    net::Dialogue::Terms terms{.tls = options.tls,
                               .limits = options.limits,
                               .connect = options.connect,
                               .answer = silence,
                               .on_piece = [weak](const net::Answer& head, std::string_view piece) {
                                   if (auto self = weak.lock()) self->on_piece(head, piece);
                               }};
    dialogue_ = std::make_shared<net::Dialogue>(loop_, endpoint_, std::move(terms));
    dialogue_->start(call, [weak](net::Outcome outcome) {
        if (auto self = weak.lock()) self->on_end(std::move(outcome));
    });
}

void Gateway::Stream::stop() {
    ears_ = {};
    if (auto dialogue = std::exchange(dialogue_, {})) dialogue->cancel();
}

void Gateway::Stream::on_piece(const net::Answer&, std::string_view piece) {
    while (ears_.heard && !piece.empty()) {
        const auto end = piece.find('\n');
        line_ += piece.substr(0, end);
        piece.remove_prefix(end == piece.npos ? piece.size() : end + 1);
        if (line_.size() > longest_line) {
            return fail({net::Trouble::bad_answer, endpoint_.text + ": a line is too long", true});
        }
        if (end != piece.npos) on_line(std::exchange(line_, {}));
    }
}

void Gateway::Stream::on_line(std::string_view line) {
    if (line.empty()) return;
    boost::system::error_code error;
    json::value body = json::parse(line, error);
    if (error || !body.is_object()) {
        return fail(
            {net::Trouble::bad_answer, endpoint_.text + ": sends something else than JSON", true});
    }
    Outcome outcome = understand(endpoint_.text, std::move(body));
    if (const auto* answer = std::get_if<Answer>(&outcome)) {
        const auto heard = ears_.heard;  // which may stop us
        return heard(answer->body);
    }
    if (auto* failure = std::get_if<net::Failure>(&outcome)) return fail(std::move(*failure));
    fail({net::Trouble::bad_answer, endpoint_.text + ": " + std::get<Complaint>(outcome).what,
          true});
}

void Gateway::Stream::on_end(net::Outcome outcome) {
    if (!ears_.heard) return;
    if (!line_.empty()) on_line(std::exchange(line_, {}));
    if (!ears_.heard) return;
    if (auto* failure = std::get_if<net::Failure>(&outcome)) return fail(std::move(*failure));
    fail({net::Trouble::bad_answer, endpoint_.text + ": the stream has ended", true});
}

void Gateway::Stream::fail(net::Failure failure) {
    const auto ended = std::move(ears_.ended);
    stop();
    if (ended) ended(failure);
}

}  // namespace conclave::engine::etcd
