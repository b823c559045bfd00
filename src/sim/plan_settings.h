// sim/plan_settings.h -- every setting of a plan by its name, in the order they are applied.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/simulator.h"

namespace conclave {

struct Setting {
    std::string_view name;
    // Applies the value, or says what is wrong with it. A plan without members is a trial: nothing
    // is known about its nodes yet, so only the spelling is judged.
    std::optional<std::string> (*apply)(Plan&, std::string_view name, std::string_view value);
};

// Later ones overrule what earlier ones imply: `start` means no detector unless `detector` is said.
std::span<const Setting> plan_settings();

// The one of that name, or null. `set.NAME` is the setting `set`.
const Setting* find_setting(std::string_view name);

}  // namespace conclave
