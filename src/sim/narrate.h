// sim/narrate.h -- what a step did, in one line that a person reads and a script compares.
#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/value.h"
#include "sim/adversary.h"
#include "sim/unit.h"
#include "sim/world.h"

namespace conclave {

std::string units_text(Duration time);       // 3, 0.5, 12.25
std::string fault_text(const Fault& fault);  // crash 3, cut 1>2, ...: as a script writes it

namespace detail {

// Whether there is such a timer when its turn comes: rules disarm without looking.
template <class P>
bool cancels(const Node<P>& node, const std::vector<Effect<P>>& effects, const Disarm<P>& disarm) {
    for (const Effect<P>& effect : effects) {
        if (std::get_if<Disarm<P>>(&effect) == &disarm) break;
        const auto* arm = std::get_if<Arm<P>>(&effect);
        if (arm && equal(arm->timer, disarm.timer)) return true;
    }
    for (const Armed<P>& armed : node.timers) {
        if (equal(armed.timer, disarm.timer)) return true;
    }
    return false;
}

}  // namespace detail

// "3 sends Election(1, 3) to 4 5; arms NoAnswer 2". Equal messages in a row share their verb.
// Nothing for a node that boots and does nothing: not worth a line.
template <class P>
std::string narrate(NodeId id, const Node<P>& node, const Event<P>& event,
                    const std::vector<Effect<P>>& effects) {
    std::string line = to_text(id);
    std::string_view verb;  // of the clause being written
    std::string sending;    // the message whose recipients are being listed
    auto clause = [&](std::string_view next, const std::string& what) {
        line += verb == next ? ", " : (verb.empty() ? " " : "; ") + std::string(next) + " ";
        line += what;
        verb = next;
    };
    // It may be the first half of a message's arrival.
    if (const auto* restarted = std::get_if<Restarted>(&event)) {
        clause("notices", "that " + to_text(restarted->node) + " restarted");
    }
    for (const Effect<P>& effect : effects) {
        if (const auto* send = std::get_if<Send<P>>(&effect)) {
            const std::string message = to_text(send->message);
            const std::string_view next = send->repair ? "repeats" : "sends";
            if (verb == next && sending == message) {
                line += " " + to_text(send->to);
            } else {
                clause(next, message + " to " + to_text(send->to));
            }
            sending = message;
        } else if (const auto* arm = std::get_if<Arm<P>>(&effect)) {
            std::string wait = units_text(arm->wait.least);
            if (arm->wait.most > arm->wait.least) wait += ".." + units_text(arm->wait.most);
            clause("arms", to_text(arm->timer) + " " + wait);
        } else if (const auto* disarm = std::get_if<Disarm<P>>(&effect)) {
            if (detail::cancels(node, effects, *disarm)) clause("disarms", to_text(disarm->timer));
        } else if (const auto* save = std::get_if<Save<P>>(&effect)) {
            clause("saves", to_text(save->durable));
        } else {
            clause("tells", to_text(std::get<Tell<P>>(effect).notice));
        }
    }
    if (!verb.empty()) return line;
    return std::holds_alternative<Booted<P>>(event) ? "" : line + " does nothing";
}

// "4>2 Coordinator(2, 4)", and which life of its sender it comes from unless that is the first:
// equal words of two lives are two things.
template <class P> std::string packet_text(const MemberList& members, const Packet<P>& packet) {
    const bool first = packet.incarnation == Incarnation{1};
    return to_text(members[packet.from].node) + ">" + to_text(members[packet.to].node) + " " +
           to_text(packet.message) + (first ? "" : " life " + to_text(packet.incarnation));
}

std::string loss_text(Loss why, const std::string& packet);  // (the link is cut: 1>2 Election)
std::string torn_text(NodeId node);                          // (3 crashes before its save is done)
std::string violation_text(std::string_view property, const std::string& what);

}  // namespace conclave
