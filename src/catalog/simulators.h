// catalog/simulators.h -- every simulator by the name of its algorithm; the table is generated.
#pragma once
#include <memory>
#include <span>
#include <string_view>

namespace conclave {

class Simulator;

struct SimulatorEntry {
    std::string_view name;
    std::unique_ptr<Simulator> (*make)();
};
std::span<const SimulatorEntry> simulators();

}  // namespace conclave
