// elect/hand.h -- for tests: one node on its own, told by hand what happens to it.
#pragma once
#include <initializer_list>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"

namespace conclave {

template <class P> class Hand {
public:
    // Node `id` of nodes 1..n, booted; these of its fixes are off.
    Hand(std::uint32_t id, std::uint32_t nodes, std::initializer_list<std::size_t> without = {})
        : self_(NodeId{id}) {
        std::vector<Member> list(nodes);
        for (std::uint32_t at = 0; at < nodes; ++at) list[at].node = NodeId{at + 1};
        members_ = MemberList(std::move(list));
        Settings settings;
        settings.tm = std::chrono::milliseconds(1);
        settings.nodes = nodes;
        settings.join = Join::stay;
        config = P::configure(settings);
        for (std::size_t fix : without) config.fixes.drop(fix);
        happens(Booted<P>{});
    }

    typename P::Config config;
    P state;
    Instant now{};

    template <class E> void happens(const E& event) {
        effects_.list.clear();
        const Seat<P> seat{self_, members_, config, 0, Incarnation{1}};
        step(state, seat, now, event, effects_);
    }
    template <class M> void receives(std::uint32_t from, M message) {
        happens(Received<P>{NodeId{from}, std::move(message)});
    }
    template <class R> void is_asked(R request) { happens(Asked<P>{std::move(request)}); }
    template <class T> void expires(T timer) { happens(Expired<P>{std::move(timer)}); }

    const std::vector<Effect<P>>& effects() const { return effects_.list; }
    // What the last event made it do: the first of this kind, or nothing.
    template <class M> const M* sends() const {
        return find<M>([](const Effect<P>& effect) {
            const auto* send = std::get_if<Send<P>>(&effect);
            return send ? std::get_if<M>(&send->message) : nullptr;
        });
    }
    template <class N> const N* tells() const {
        return find<N>([](const Effect<P>& effect) {
            const auto* tell = std::get_if<Tell<P>>(&effect);
            return tell ? std::get_if<N>(&tell->notice) : nullptr;
        });
    }
    const typename P::Durable* saves() const {
        return find<typename P::Durable>([](const Effect<P>& effect) {
            const auto* save = std::get_if<Save<P>>(&effect);
            return save ? &save->durable : nullptr;
        });
    }

private:
    template <class T, class Pick> const T* find(Pick pick) const {
        for (const Effect<P>& effect : effects_.list) {
            if (const T* found = pick(effect)) return found;
        }
        return nullptr;
    }

    NodeId self_;
    MemberList members_;
    Effects<P> effects_;
};

}  // namespace conclave
