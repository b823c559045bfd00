#include "node/messenger.h"

#include <utility>
#include <vector>

#include "wire/layout.h"

namespace conclave::node {

Messenger::Messenger(boost::asio::io_context& loop, Office office)
    : loop_(loop), office_(std::move(office)) {}

void Messenger::ask(NodeId leader, const std::string& group, const Resign& wish, Answered then) {
    const std::uint64_t number = ++numbers_;
    boost::asio::steady_timer patience(loop_, office_.patience);
    Waiting waiting{leader, std::move(then), std::move(patience)};
    const auto asked = waiting_.emplace(number, std::move(waiting)).first;
    asked->second.patience.async_wait([this, number](const auto& error) {
        if (!error) settle(number, std::nullopt);
    });
    send(leader, HandOver{number, group, wish.to});
}

bool Messenger::receive(NodeId from, ByteView bytes) {
    Letter letter;
    if (!decode<wire::Growing>(bytes, letter) || !bytes.empty()) return false;
    std::visit([&](const auto& one) { take(from, one); }, letter);
    return true;
}

void Messenger::unlinked(NodeId peer) {
    std::vector<std::uint64_t> lost;
    for (const auto& [number, waiting] : waiting_) {
        if (waiting.leader == peer) lost.push_back(number);
    }
    for (const std::uint64_t number : lost) settle(number, std::nullopt);
}

void Messenger::stop() { waiting_.clear(); }

void Messenger::send(NodeId to, const Letter& letter) {
    Bytes bytes;
    encode<wire::Growing>(bytes, letter);
    office_.send(to, bytes);
}

void Messenger::take(NodeId from, const HandOver& wish) {
    office_.ask(from, wish.group, Resign{wish.to},
                [this, from, number = wish.number](const HostedGroup::Answer& answer) {
                    send(from, Outcome{number, answer.understood, answer.refused});
                });
}

void Messenger::take(NodeId from, const Outcome& outcome) {
    const auto found = waiting_.find(outcome.number);
    if (found == waiting_.end() || found->second.leader != from) return;  // too late
    settle(outcome.number, HostedGroup::Answer{outcome.understood, outcome.refused});
}

void Messenger::settle(std::uint64_t number, const std::optional<HostedGroup::Answer>& answer) {
    auto settled = waiting_.extract(number);
    if (settled) settled.mapped().then(answer);
}

}  // namespace conclave::node
