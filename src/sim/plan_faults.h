// sim/plan_faults.h -- settings that put faults and wishes into a plan's schedule.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/simulator.h"
#include "sim/words.h"

namespace conclave {

Wrong take_crash(Plan& plan, std::string_view name, std::string_view value);      // 6@3, 6@3:torn
Wrong take_restart(Plan& plan, std::string_view name, std::string_view value);    // 6@9:amnesia
Wrong take_pause(Plan& plan, std::string_view name, std::string_view value);      // 5@10..40
Wrong take_cut(Plan& plan, std::string_view name, std::string_view value);        // 1>2@3..5
Wrong take_partition(Plan& plan, std::string_view name, std::string_view value);  // 1,2|3@10..20
Wrong take_suspect(Plan& plan, std::string_view name, std::string_view value);    // 1:4@7
Wrong take_trust(Plan& plan, std::string_view name, std::string_view value);
Wrong take_call(Plan& plan, std::string_view name, std::string_view value);  // 3@10
Wrong take_ask(Plan& plan, std::string_view name, std::string_view value);   // 3@10:Resign 2

// Every link between two of the groups, in both directions; or what is wrong with `1,2|3,4`: each
// of the nodes belongs to exactly one group.
struct Severed {
    std::vector<fault::Cut> cuts{};
    Wrong wrong{};
};
Severed sever(std::string_view groups, const std::vector<Member>& members);

}  // namespace conclave
