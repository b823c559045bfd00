// sim/chronicle.h -- collects what a recorder tells into a trace and a diagram.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/adversary.h"
#include "sim/diagram.h"
#include "sim/simulator.h"
#include "sim/world.h"

namespace conclave {

struct Letter {  // a packet, without its types
    std::uint32_t from = 0, to = 0;
    Instant sent;
    std::string text;       // 3>4 Election(1, 3)
    std::string_view name;  // Election
    Diagram::Kind kind{};
};

class Chronicle {
public:
    Chronicle(const Plan& plan, std::string_view algorithm);

    void boot(Instant now, std::uint32_t node);
    void fault(Instant now, const Fault& fault);
    void arrival(Instant now, const Letter& letter);
    void timer(Instant now, std::uint32_t node, const std::string& timer);
    void loss(Instant now, const Letter& letter, Loss why);
    void torn(Instant now, std::uint32_t node);
    void duplicate(Instant now, const Letter& letter);
    void leader(Instant now, std::uint32_t node, std::optional<NodeId> leader);
    void section(Instant now, std::uint32_t node, bool inside);
    void violation(Instant now, const std::string& line);
    // The picture begins here, rather than at time 0.
    void begin(Instant at);
    void unheard(const Letter& letter);  // sent to somebody of whom nothing is known
    void end(Instant now, std::uint32_t node, const std::string& how);
    // From now on the picture is so far ahead of the clock: where time stands still, steps need
    // room.
    void draw_ahead(Duration ahead) { ahead_ = ahead; }
    bool tracing() const { return tracing_; }
    void command(Instant now, const std::string& text);
    void output(const std::string& lines);
    void finish(Instant now, Report& report);

private:
    double drawn(Instant now) const { return in_units(now + ahead_); }
    std::uint32_t place(NodeId node) const;
    void end_reign(std::uint32_t node, Instant now);
    void crash(std::uint32_t node, Instant now, std::string label);

    const Plan& plan_;
    bool tracing_, drawing_;
    std::string trace_;
    Instant commanded_{};             // when the last command was given
    std::vector<std::string> later_;  // losses and doublings, told after the step that sent them
    Duration ahead_{};
    Diagram diagram_;
    std::vector<std::optional<Diagram::Reign>> reigns_;  // open ones, by lane
    std::vector<std::optional<double>> down_since_, paused_since_, inside_since_;
};

}  // namespace conclave
