#include "node/messenger.h"

#include <utility>
#include <vector>

#include "wire/layout.h"

namespace conclave::node {

Messenger::Messenger(boost::asio::io_context& loop, Office office)
    : loop_(loop), office_(std::move(office)) {}

template <class Question, class Then>
void Messenger::pose(NodeId leader, Question question, Duration patience, Then then) {
    question.number = ++numbers_;
    Waiting waiting{leader, std::move(then), boost::asio::steady_timer(loop_, patience)};
    const auto asked = waiting_.emplace(question.number, std::move(waiting)).first;
    asked->second.patience.async_wait([this, number = question.number](const auto& error) {
        if (!error) settle(number, nullptr);
    });
    send(leader, std::move(question));
}

std::function<void(const Messenger::Letter*)> Messenger::outcome(Answered then) {
    return [then = std::move(then)](const Letter* letter) {
        const auto* outcome = letter ? std::get_if<Outcome>(letter) : nullptr;
        if (!outcome) return then(std::nullopt);
        then(HostedGroup::Answer{outcome->understood, outcome->refused});
    };
}

void Messenger::ask(NodeId leader, const std::string& group, const Resign& wish, Answered then) {
    pose(leader, HandOver{0, group, wish.to}, office_.patience, outcome(std::move(then)));
}

void Messenger::reform(NodeId leader, const std::string& group, const HostedGroup::Reform& wish,
                       Duration patience, Answered then) {
    pose(leader, ChangeMembers{0, group, wish}, patience, outcome(std::move(then)));
}

void Messenger::show_cards(NodeId to, const std::vector<Card>& cards) {
    send(to, WhomIKnow{cards});
}

void Messenger::ask_for_locks(NodeId leader, Listed then) {
    pose(leader, WhichLocks{}, office_.patience, [then = std::move(then)](const Letter* letter) {
        const auto* these = letter ? std::get_if<TheseLocks>(letter) : nullptr;
        then(these ? these->list : std::nullopt);
    });
}

void Messenger::dismiss(NodeId leader, const locks::Name& lock, Dismissed then) {
    pose(leader, DismissHolders{0, lock}, office_.patience,
         [then = std::move(then)](const Letter* letter) {
             const auto* done = letter ? std::get_if<HoldersDismissed>(letter) : nullptr;
             then(done ? done->holders : std::nullopt);
         });
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
    for (const std::uint64_t number : lost) settle(number, nullptr);
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

void Messenger::take(NodeId from, const WhichLocks& question) {
    send(from, TheseLocks{question.number, office_.locks()});
}

void Messenger::take(NodeId from, const DismissHolders& wish) {
    send(from, HoldersDismissed{wish.number, office_.dismiss(wish.lock)});
}

void Messenger::take(NodeId from, const ChangeMembers& wish) {
    office_.reform(from, wish.group, wish.wish,
                   [this, from, number = wish.number](const HostedGroup::Answer& answer) {
                       send(from, Outcome{number, answer.understood, answer.refused});
                   });
}

void Messenger::take(NodeId from, const WhomIKnow& shown) { office_.cards(from, shown.cards); }

template <class Answer> void Messenger::take(NodeId from, const Answer& answer) {
    const auto found = waiting_.find(answer.number);
    if (found == waiting_.end() || found->second.leader != from) return;  // too late
    const Letter letter = answer;
    settle(answer.number, &letter);
}

void Messenger::settle(std::uint64_t number, const Letter* answer) {
    auto settled = waiting_.extract(number);
    if (settled) settled.mapped().then(answer);
}

}  // namespace conclave::node
