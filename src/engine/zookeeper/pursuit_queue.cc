#include <algorithm>
#include <cassert>
#include <utility>

#include "engine/zookeeper/pursuit.h"

namespace conclave::engine::zookeeper {

// --- Tickets. ---

void Pursuit::draw() {
    if (name_.empty()) name_ = draw_name(step().kind);
    drawing_ = true;
    const Instant sent = net::now();
    session_->create(
        step().folder + "/" + name_, holder_, Session::Node::ticket,
        still([this, sent, name = name_](const Answer& answer) { drawn(answer, name, sent); }));
}

void Pursuit::drawn(const Answer& answer, const std::string& name, Instant sent) {
    if (is_broken(answer.code)) return;  // it may be there: `search`, when we are connected
    if (!drawing_ || name != name_) return drop_double(answer);
    if (leaving_ && answer.code != 0) return farewell();
    if (is_missing(answer.code)) {
        drawing_ = false;
        return make_folder(step().folder, [this] { draw(); });
    }
    if (!understood(answer)) return;
    evidence_.answered(sent, net::now());
    evidence_.written(sent);
    take(answer.text, answer.czxid);
}

// The client may send again over a new connection what we took for lost: we have found the ticket
// meanwhile, or have drawn another.
void Pursuit::drop_double(const Answer& answer) {
    const bool ours = std::ranges::find(tickets_, answer.text, &Own::path) != tickets_.end();
    if (answer.code == 0 && !ours) session_->remove(answer.text, still([](const auto&) {}));
}

void Pursuit::make_folder(const std::string& path, std::function<void()> then) {
    session_->create(
        path, "", Session::Node::folder, still([this, path, then](const Answer& answer) {
            if (is_missing(answer.code)) {
                make_folder(parent_of(path), [this, path, then] { make_folder(path, then); });
            } else if (is_there(answer.code) || understood(answer)) {
                then();
            }
        }));
}

// The answer to a create was lost. Behind a sync we see all that was made before; what was still
// on its way over the old connection is refused now that we have come over another.
void Pursuit::search() {
    session_->sync(step().folder, while_drawing([this](const Answer&) {
                       session_->list(step().folder, false,
                                      while_drawing([this](const Answer& all) { find(all); }));
                   }));
}

void Pursuit::find(const Answer& all) {
    if (is_missing(all.code)) return draw();
    if (!understood(all)) return;
    const auto own = std::ranges::find_if(
        all.names, [this](const std::string& name) { return name.starts_with(name_); });
    if (own == all.names.end()) return draw();
    const std::string path = step().folder + "/" + *own;
    session_->read(path, false, while_drawing([this, path](const Answer& found) {
                       if (is_missing(found.code)) return draw();
                       if (understood(found)) take(path, found.czxid);
                   }));
}

void Pursuit::take(const std::string& path, std::int64_t czxid) {
    assert(!has_all());
    tickets_.push_back({path, czxid});
    name_.clear();
    drawing_ = false;
    if (leaving_) return farewell();
    examine();
}

// --- The queue. ---

void Pursuit::examine() {
    if (tickets_.empty() || drawing_ || leaving_) return;
    if (std::exchange(examining_, true)) {
        again_ = true;
        return;
    }
    const Step& now = steps_[tickets_.size() - 1];
    const bool any = now.kind == Ticket::Kind::lease && !held_;
    if (any) ahead_ = now.folder;
    session_->list(now.folder, any, still([this](const Answer& answer) {
                       examining_ = false;
                       if (is_broken(answer.code) || leaving_) return;
                       if (std::exchange(again_, false)) return examine();
                       if (is_missing(answer.code)) return look_at({});
                       if (understood(answer)) look_at(answer.names);
                   }));
}

// The one place where it becomes ours.
void Pursuit::look_at(const std::vector<std::string>& names) {
    const Step& now = steps_[tickets_.size() - 1];
    const std::string own = tickets_.back().path.substr(now.folder.size() + 1);
    const Position position = position_of(own, names, now);
    switch (position.where) {
        case Position::Where::gone:
            return held_ ? lose() : begin_anew();
        case Position::Where::front:
            break;
        case Position::Where::behind:
            return wait_for(position.ahead);
    }
    if (!has_all()) return drawing_ ? void() : draw();
    first_ = true;
    hold();
}

void Pursuit::wait_for(const std::string& ahead) {
    if (held_) return;
    const auto tell = [this] {
        if (!std::exchange(busy_, true)) events_.busy();
    };
    if (ahead.empty()) return tell();
    ahead_ = steps_[tickets_.size() - 1].folder + "/" + ahead;
    session_->read(ahead_, true, still([this, tell](const Answer& answer) {
                       if (is_broken(answer.code) || leaving_) return;
                       if (is_missing(answer.code)) return examine();
                       // Who may not read a node may still see it go.
                       if (is_refusal(answer.code))
                           return session_->await(ahead_, still([](const auto&) {}));
                       if (understood(answer)) tell();
                   }));
}

// Who is first has what it may hold for a while, not only for the blink of an eye.
bool Pursuit::is_fresh() const {
    const auto until = evidence_.until();
    return until && *until >= net::now() + evidence_.session() / 4;
}

void Pursuit::hold() {
    if (held_) return;
    if (!is_fresh()) return confirm();
    held_ = true;
    ahead_.clear();
    session_->read(tickets_.back().path, true, still([this](const Answer& answer) {
                       if (is_missing(answer.code)) lose();
                   }));
    drop_spent();
    set_alarm();
    events_.granted({Epoch{static_cast<std::uint64_t>(tickets_.back().czxid)}, 0});
}

// The places in earlier queues, so that whoever is next there can go on.
void Pursuit::drop_spent() {
    if (!held_) return;
    for (std::size_t i = 0; i + 1 < tickets_.size(); ++i) {
        if (tickets_[i].path.empty()) continue;
        session_->remove(tickets_[i].path, still([this, i](const Answer& answer) {
                             if (!is_broken(answer.code)) tickets_[i].path.clear();
                         }));
    }
}

}  // namespace conclave::engine::zookeeper
