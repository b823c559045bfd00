#include "node/errands.h"

#include <stdlib.h>

#include <charconv>
#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include "node/child.h"

namespace conclave::node {

namespace {

constexpr Duration period = std::chrono::seconds(1);
constexpr Duration answer_within = std::chrono::seconds(5);
constexpr Duration plan_within = std::chrono::seconds(30);

// Larger is better, so a load counts against the node; in thousandths, for attributes are whole.
Attribute load() {
    double average = 0;
    if (::getloadavg(&average, 1) != 1) return 0;
    return -static_cast<Attribute>(average * 1000);
}
Attribute free_mebibytes(const std::filesystem::path& disk) {
    std::error_code error;
    const auto space = std::filesystem::space(disk, error);
    return error ? 0 : static_cast<Attribute>(space.available >> 20);
}
std::optional<Attribute> read_number(const std::string& text) {
    Attribute value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view rest(end, text.data() + text.size());
    if (error != std::errc{} || rest.find_first_not_of(" \t\r\n") != rest.npos) return std::nullopt;
    return value;
}

}  // namespace

Errands::Errands(boost::asio::io_context& loop, const Group& settings, HostedGroup& group,
                 Office office, LogSink& log, std::filesystem::path disk)
    : loop_(loop),
      settings_(settings),
      group_(group),
      office_(std::move(office)),
      log_(log),
      disk_(std::move(disk)),
      timer_(loop) {}

void Errands::start() {
    if (!settings_.health && !settings_.attribute) return;
    ask_attribute();
    ask_health();
    again();
}

void Errands::stop() {
    stopped_ = true;
    timer_.cancel();
}

void Errands::again() {
    timer_.expires_after(period);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (error || stopped_) return;
        ask_attribute();
        ask_health();
        again();
    });
}

void Errands::told(const Told& notice) {
    if (const auto* wanted = std::get_if<PlanWanted>(&notice)) make_plan(*wanted);
    if (std::holds_alternative<StopProcessing>(notice)) stop_processing();
}

void Errands::complain(const char* about, const std::string& why) {
    std::string line = std::string(about) + ": " + why;
    if (line == complaint_) return;
    log_.log(Level::warning, "a command failed",
             {{"group", group_.name()}, {"command", about}, {"why", why}});
    complaint_ = std::move(line);
}

void Errands::ask_health() {
    if (!settings_.health || asking_health_) return;
    asking_health_ = true;
    run_child(loop_, settings_.health->path, "", answer_within, [this](const ChildEnd& end) {
        asking_health_ = false;
        if (stopped_) return;
        if (!end.good) complain("health", end.why);
        office_.health(end.good);
    });
}

void Errands::ask_attribute() {
    if (!settings_.attribute || asking_attribute_) return;
    switch (settings_.attribute->kind) {
        case Measure::Kind::load:
            return group_.set_attribute(load());
        case Measure::Kind::disk:
            return group_.set_attribute(free_mebibytes(disk_));
        case Measure::Kind::command:
            break;
    }
    asking_attribute_ = true;
    run_child(loop_, settings_.attribute->command.path, "", answer_within,
              [this](const ChildEnd& end) {
                  asking_attribute_ = false;
                  if (stopped_) return;
                  const auto number = end.good ? read_number(end.output) : std::nullopt;
                  if (number) return group_.set_attribute(*number);
                  complain("attribute", end.good ? "it did not print a whole number" : end.why);
              });
}

// A plan that comes too late is for an older run: the machine knows.
void Errands::make_plan(const PlanWanted& wanted) {
    if (!settings_.plan || settings_.plan->application()) return;
    std::string members;
    for (NodeId node : wanted.members) members += office_.name_of(node) + "\n";
    run_child(loop_, settings_.plan->command.path, std::move(members), plan_within,
              [this, round = wanted.run.round](const ChildEnd& end) {
                  if (stopped_) return;
                  if (!end.good) return complain("plan", end.why);
                  static_cast<void>(group_.ask(Planned{round, end.output}));
              });
}

void Errands::stop_processing() {
    if (!settings_.on_stop) return;
    run_child(loop_, settings_.on_stop->path, "", plan_within, [this](const ChildEnd& end) {
        if (!stopped_ && !end.good) complain("on_stop", end.why);
    });
}

}  // namespace conclave::node
