// sim/judge.h -- watches a run with the properties of its algorithm.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "core/property.h"
#include "core/stack.h"

namespace conclave {

// Properties look at every node: after every event in small worlds, and only at the end in worlds
// of thousands, which are for speed.
inline constexpr std::size_t watched_closely = 256;

template <class P> class Judge {
public:
    // Reports to `begun(property, what)` what has become wrong since the last look.
    template <class F> void look(const View<P>& view, F begun) {
        marks_.resize(P::properties().size());
        for (std::size_t at = 0; at < marks_.size(); ++at) {
            const Property<P>& property = P::properties()[at];
            if (of_a_whole_run(property.demand)) continue;
            if (property.demand == Demand::sometimes && marks_[at]) continue;  // seen is seen
            const auto wrong = property.broken(view);
            const bool before = marks_[at];
            marks_[at] = wrong.has_value() == (property.demand == Demand::always);
            if (wrong && property.demand == Demand::always && !before) begun(property, *wrong);
        }
    }
    static bool settled(const View<P>& view) {
        return std::ranges::all_of(P::properties(), [&](const Property<P>& property) {
            return property.demand != Demand::settled || !property.broken(view);
        });
    }
    // One line for each property, as it stands.
    std::string verdicts(const View<P>& view) const {
        std::string lines;
        for (std::size_t at = 0; at < P::properties().size(); ++at) {
            const Property<P>& property = P::properties()[at];
            lines += std::string(property.name) + ": ";
            if (property.demand == Demand::sometimes) {
                lines += at < marks_.size() && marks_[at] ? "seen\n" : "not seen\n";
                continue;
            }
            const auto wrong = property.broken(view);
            lines += wrong ? "violated (" + *wrong + ")\n" : "holds\n";
        }
        return lines;
    }

private:
    static bool of_a_whole_run(Demand demand) {
        return demand != Demand::always && demand != Demand::sometimes;
    }

    std::vector<char> marks_;  // an `always` that is broken, a `sometimes` that was seen
};

// An algorithm without properties has nothing to answer for.
template <class P>
requires(!Judged<P>) class Judge<P> {
};

}  // namespace conclave
