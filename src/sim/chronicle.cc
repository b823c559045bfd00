// sim/chronicle.cc -- the trace and the diagram, line by line.
#include "sim/chronicle.h"

#include <algorithm>

#include "sim/narrate.h"
#include "sim/plan_text.h"

namespace conclave {

Chronicle::Chronicle(const Plan& plan, std::string_view algorithm)
    : plan_(plan), tracing_(plan.trace), drawing_(plan.diagram) {
    if (tracing_) trace_ = world_line(plan, algorithm) + "\n----\n";
    reigns_.resize(plan.members.size());
    down_since_.resize(plan.members.size());
    paused_since_.resize(plan.members.size());
    inside_since_.resize(plan.members.size());
    for (const Member& member : plan.members) {
        diagram_.lanes.push_back({member.node, std::to_string(number(member.node))});
    }
    for (NodeId node : plan.down) down_since_[place(node)] = 0;
    diagram_.title = std::string(algorithm);
}

void Chronicle::begin(Instant at) {
    diagram_.begin = in_units(at);
    for (auto& since : down_since_) {
        if (since) since = diagram_.begin;
    }
}

void Chronicle::boot(Instant now, std::uint32_t node) {
    if (!down_since_[node]) return;
    diagram_.down.push_back({node, *down_since_[node], drawn(now)});
    diagram_.marks.push_back({Diagram::Mark::What::restart, node, drawn(now), ""});
    down_since_[node].reset();
}

void Chronicle::fault(Instant now, const Fault& fault) {
    command(now, fault_text(fault));
    if (!drawing_) return;
    const double at = drawn(now);
    using What = Diagram::Mark::What;
    if (const auto* crash = std::get_if<fault::Crash>(&fault)) {
        const std::uint32_t lane = place(crash->node);
        if (down_since_[lane] || crash->torn) return;
        this->crash(lane, now, "");
    } else if (const auto* pause = std::get_if<fault::Pause>(&fault)) {
        if (!paused_since_[place(pause->node)]) paused_since_[place(pause->node)] = at;
    } else if (const auto* resume = std::get_if<fault::Resume>(&fault)) {
        const std::uint32_t lane = place(resume->node);
        if (paused_since_[lane]) diagram_.paused.push_back({lane, *paused_since_[lane], at});
        paused_since_[lane].reset();
    } else if (const auto* call = std::get_if<fault::Call>(&fault)) {
        diagram_.marks.push_back({What::call, place(call->node), at, "calls"});
    } else if (const auto* ask = std::get_if<fault::Ask>(&fault)) {
        if (ask->request == "Enter") {
            diagram_.marks.push_back({What::call, place(ask->node), at, "asks"});
        }
    } else if (const auto* suspect = std::get_if<fault::Suspect>(&fault)) {
        diagram_.marks.push_back(
            {What::suspect, place(suspect->observer), at, "suspects " + to_text(suspect->subject)});
    } else if (const auto* fail = std::get_if<fault::Fail>(&fault)) {
        diagram_.marks.push_back(
            {What::suspect, place(fail->observer), at, to_text(fail->subject) + " failed"});
    } else if (const auto* trust = std::get_if<fault::Trust>(&fault)) {
        diagram_.marks.push_back(
            {What::trust, place(trust->observer), at, "trusts " + to_text(trust->subject)});
    }
}

void Chronicle::arrival(Instant now, const Letter& letter) {
    command(now, "deliver " + letter.text);
    if (!drawing_) return;
    const double sent = std::max(diagram_.begin, in_units(letter.sent));
    diagram_.arrows.push_back({letter.from, letter.to, sent, drawn(now), std::string(letter.name),
                               Diagram::Fate::delivered, letter.kind});
}

void Chronicle::timer(Instant now, std::uint32_t node, const std::string& timer) {
    command(now, "expire " + to_text(plan_.members[node].node) + " " + timer);
    if (drawing_) {
        diagram_.marks.push_back({Diagram::Mark::What::timer, node, drawn(now), timer});
    }
}

void Chronicle::loss(Instant now, const Letter& letter, Loss why) {
    const bool on_the_way = why == Loss::network;
    if (on_the_way) {
        later_.push_back("lose " + letter.text);
    } else {
        output(loss_text(why, letter.text));
    }
    if (!drawing_) return;
    const bool arrived = !diagram_.arrows.empty() && diagram_.arrows.back().from == letter.from &&
                         diagram_.arrows.back().to == letter.to &&
                         diagram_.arrows.back().arrived == drawn(now) && !on_the_way;
    if (arrived) {
        diagram_.arrows.back().fate = Diagram::Fate::lost;
    } else {
        diagram_.arrows.push_back({letter.from, letter.to, in_units(letter.sent),
                                   in_units(letter.sent) + 1, std::string(letter.name),
                                   Diagram::Fate::lost, letter.kind});
    }
}

void Chronicle::unheard(const Letter& letter) {
    if (!drawing_) return;
    diagram_.arrows.push_back({letter.from, letter.to, in_units(letter.sent),
                               in_units(letter.sent) + 1, std::string(letter.name),
                               Diagram::Fate::in_flight, letter.kind});
}

void Chronicle::end(Instant now, std::uint32_t node, const std::string& how) {
    if (drawing_ && !down_since_[node]) crash(node, now, how);
}

void Chronicle::duplicate(Instant, const Letter& letter) {
    later_.push_back("duplicate " + letter.text);
}

void Chronicle::leader(Instant now, std::uint32_t node, std::optional<NodeId> leader) {
    if (!drawing_) return;
    end_reign(node, now);
    const auto lane = leader ? std::optional(place(*leader)) : std::nullopt;
    reigns_[node] = Diagram::Reign{node, drawn(now), 0, lane};
}

void Chronicle::torn(Instant now, std::uint32_t node) {
    output(torn_text(plan_.members[node].node));
    if (drawing_) crash(node, now, "torn save");
}

void Chronicle::crash(std::uint32_t node, Instant now, std::string label) {
    end_reign(node, now);
    section(now, node, false);
    down_since_[node] = drawn(now);
    diagram_.marks.push_back({Diagram::Mark::What::crash, node, drawn(now), std::move(label)});
}

void Chronicle::section(Instant now, std::uint32_t node, bool inside) {
    if (!drawing_) return;
    auto& since = inside_since_[node];
    if (inside && !since) since = drawn(now);
    if (inside || !since) return;
    diagram_.held.push_back({node, *since, drawn(now)});
    since.reset();
}

// Time alone may break a property: then its passing is a command of its own.
void Chronicle::violation(Instant now, const std::string& line) {
    if (now > commanded_) command(now, "");
    output(line);
}

void Chronicle::output(const std::string& lines) {
    if (!tracing_ || lines.empty()) return;
    trace_ += lines;
    if (lines.back() != '\n') trace_ += '\n';
}

void Chronicle::finish(Instant now, Report& report) {
    if (tracing_) report.trace = std::move(trace_);
    if (!drawing_) return;
    for (std::uint32_t lane = 0; lane < reigns_.size(); ++lane) {
        end_reign(lane, now);
        section(now, lane, false);
        if (down_since_[lane]) diagram_.down.push_back({lane, *down_since_[lane], drawn(now)});
        if (paused_since_[lane]) {
            diagram_.paused.push_back({lane, *paused_since_[lane], drawn(now)});
        }
    }
    diagram_.end = drawn(now);
    report.diagram = std::move(diagram_);
}

// A blank line ends a block; what was lost or doubled by the last one is told before the next.
void Chronicle::command(Instant now, const std::string& text) {
    if (!tracing_) return;
    for (const std::string& one : std::exchange(later_, {})) trace_ += "\n" + one + "\n----\n";
    trace_ += "\nat " + units_text(now.time_since_epoch()) + (text.empty() ? "" : " ") + text;
    trace_ += "\n----\n";
    commanded_ = now;
}

std::uint32_t Chronicle::place(NodeId node) const {
    for (std::uint32_t at = 0; at < plan_.members.size(); ++at) {
        if (plan_.members[at].node == node) return at;
    }
    return 0;
}

void Chronicle::end_reign(std::uint32_t node, Instant now) {
    if (!reigns_[node]) return;
    reigns_[node]->to = drawn(now);
    if (reigns_[node]->to > reigns_[node]->from) diagram_.reigns.push_back(*reigns_[node]);
    reigns_[node].reset();
}

}  // namespace conclave
