// catalog/checkers.h -- every checker by the name of its algorithm; the table is generated.
#pragma once
#include <memory>
#include <span>
#include <string_view>

namespace conclave {

class Checker;

struct CheckerEntry {
    std::string_view name;
    std::unique_ptr<Checker> (*make)();
};
std::span<const CheckerEntry> checkers();

}  // namespace conclave
