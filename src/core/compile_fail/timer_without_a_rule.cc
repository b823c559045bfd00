// expect: a timer has no rule: write on(Turn&, Timer)
#include <variant>

#include "core/protocol.h"

namespace conclave {

struct Deaf {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::election, "", "", "", "", ""};
    struct Config {};
    struct Hello {};
    struct Late {};
    using Message = std::variant<Hello>;
    using Timer = std::variant<Late>;
    using Request = std::variant<None>;
    using Notice = std::variant<None>;
    using Durable = None;
    using Turn = conclave::Turn<Deaf>;

    void on(Turn&, const Booted<Deaf>&) {}
    void on(Turn&, NodeId, Hello) {}
};
static_assert(Protocol<Deaf>);

}  // namespace conclave
