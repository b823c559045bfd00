// sim/narrate.cc -- faults and times as a script writes them.
#include "sim/narrate.h"

#include <array>
#include <charconv>

namespace conclave {

std::string units_text(Duration time) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), in_units(time));
    return {buffer.data(), end.ptr};
}

namespace {

struct Writer {
    std::string operator()(const fault::Crash& one) const {
        return "crash " + to_text(one.node) + (one.torn ? " torn" : "");
    }
    std::string operator()(const fault::Restart& one) const {
        return "restart " + to_text(one.node) + (one.amnesia ? " amnesia" : "");
    }
    std::string operator()(const fault::Pause& one) const { return "pause " + to_text(one.node); }
    std::string operator()(const fault::Resume& one) const { return "resume " + to_text(one.node); }
    std::string operator()(const fault::Cut& one) const {
        return "cut " + to_text(one.from) + ">" + to_text(one.to);
    }
    std::string operator()(const fault::Heal& one) const {
        return "heal " + to_text(one.from) + ">" + to_text(one.to);
    }
    std::string operator()(const fault::Call& one) const { return "call " + to_text(one.node); }
    std::string operator()(const fault::Suspect& one) const { return pair("suspect", one); }
    std::string operator()(const fault::Trust& one) const { return pair("trust", one); }
    std::string operator()(const fault::Fail& one) const { return pair("fail", one); }
    std::string operator()(const fault::Restarted& one) const { return pair("restarted", one); }
    std::string operator()(const fault::Attribute& one) const {
        return "attribute " + to_text(one.node) + " " + std::to_string(one.value);
    }
    std::string operator()(const fault::Drift& one) const {
        return "drift " + to_text(one.node) + " " + std::to_string(one.ppm);
    }
    std::string operator()(const fault::Whisper& one) const {
        return "whisper " + to_text(one.from) + " " + to_text(one.to);
    }
    std::string operator()(const fault::Ask& one) const {
        return "ask " + to_text(one.node) + " " + one.request;
    }

    template <class T> static std::string pair(std::string_view verb, const T& one) {
        return std::string(verb) + " " + to_text(one.observer) + " " + to_text(one.subject);
    }
};

}  // namespace

std::string fault_text(const Fault& fault) { return std::visit(Writer{}, fault); }

std::string loss_text(Loss why, const std::string& packet) {
    constexpr std::array reasons{"lost", "the link is cut", "nobody there", "from an earlier life"};
    return "(" + std::string(reasons[static_cast<std::size_t>(why)]) + ": " + packet + ")";
}

std::string torn_text(NodeId node) {
    return "(" + to_text(node) + " crashes before its save is done)";
}

std::string violation_text(std::string_view property, const std::string& what) {
    return "violated: " + std::string(property) + " (" + what + ")";
}

}  // namespace conclave
