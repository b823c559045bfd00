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

namespace conclave {

std::string units_text(Duration time);       // 3, 0.5, 12.25
std::string fault_text(const Fault& fault);  // crash 3, cut 1>2, ...: as a script writes it

// "3 sends Election(1, 3) to 4 5; arms NoAnswer 2". Equal messages in a row share their verb.
template <class P> std::string narrate(NodeId node, const std::vector<Effect<P>>& effects) {
    std::string line = to_text(node);
    std::string_view verb;  // of the clause being written
    std::string sending;    // the message whose recipients are being listed
    auto clause = [&](std::string_view next, const std::string& what) {
        line += verb == next ? ", " : (verb.empty() ? " " : "; ") + std::string(next) + " ";
        line += what;
        verb = next;
    };
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
            clause("disarms", to_text(disarm->timer));
        } else if (const auto* save = std::get_if<Save<P>>(&effect)) {
            clause("saves", to_text(save->durable));
        } else {
            clause("tells", to_text(std::get<Tell<P>>(effect).notice));
        }
    }
    if (effects.empty()) line += " does nothing";
    return line;
}

}  // namespace conclave
