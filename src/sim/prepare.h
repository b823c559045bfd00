// sim/prepare.h -- from a plan to an algorithm's own settings.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/stack.h"
#include "sim/options.h"
#include "sim/simulator.h"
#include "sim/world.h"

namespace conclave {

// It detects for itself: the simulator's oracle has nothing to tell it.
template <class P> consteval bool detects() {
    if constexpr (requires { typename P::Lower; }) {
        return detects<typename P::Lower>() || detects<typename P::Upper>();
    } else {
        return P::claim.kind == Kind::detector;
    }
}

// What is wrong with the options together, by the word of each part.
template <class P> std::optional<std::string> refused(const typename P::Config& config) {
    if constexpr (requires { typename P::Lower; }) {
        const auto below = refused<typename P::Lower>(config.lower);
        return below ? below : refused<typename P::Upper>(config.upper);
    } else if constexpr (requires { P::refuse(config); }) {
        return P::refuse(config);
    } else {
        return std::nullopt;
    }
}

// Says what is wrong with the plan, or nothing.
template <class P>
std::optional<std::string> prepare(const Plan& plan, std::string_view name, Setup<P>& setup) {
    setup.members = MemberList(plan.members);
    Settings settings = plan.settings;
    settings.nodes = plan.members.size();
    setup.config = P::configure(settings);
    for (const auto& [option, value] : plan.options) {
        if (const auto wrong = set_option<P>(setup.config, option, value)) return wrong;
    }
    for (const std::string& fix : plan.without) {
        const bool dropped = drop_fix<P>(setup.config, fix);
        if (fix == incarnation_fix) {
            setup.incarnations = false;
        } else if (!dropped) {
            return "unknown fix '" + fix + "' of " + std::string(name);
        }
    }
    return refused<P>(setup.config);
}

}  // namespace conclave
