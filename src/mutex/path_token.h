// mutex/path_token.h -- a token, and guesses at who is last in the list of those who wait for it.
//
// Ensures  one at a time, and nobody waits for ever; for one request after the other the mean price
//          is H(N) - 1/N messages.
// Breaks   if anybody crashes who waits or has the token, or a message is lost. Led by an election
//          it survives both: mutex/path_token_led.h.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <variant>

#include "mutex/mutex.h"
#include "mutex/path_list.h"
#include "mutex/path_properties.h"

namespace conclave {

struct PathToken {
    static constexpr Model assumes{Links::reliable, Timing::asynchronous, Faults::none};
    static constexpr Claim claim{
        Kind::mutex,
        "Li and Hudak 1989, Naimi and Trehel 1987, Chow and Johnson 1997; the end of it in 002",
        "one at a time, nobody waits for ever; doubled messages do no harm",
        "a crash or a lost message cuts the list or loses the token",
        "0 to N, mean H(N) - 1/N for one request after the other",
        "client 0 to N, synchronization 1",
    };
    enum FixIndex : std::size_t { rid, token_number };
    static constexpr std::array fixes{
        Fix{"rid", "an origin numbers its requests, and a copy of one is dropped"},
        Fix{"token-number", "the token counts the hands it goes through, and a copy is dropped"},
    };
    struct Config {
        FixSet fixes{};
        Duration tm{};
    };
    static Config configure(const Settings& settings) { return {{}, settings.tm}; }
    // Somebody who asks on the longest path, and the token's way to it.
    static Duration settles_within(const Config& config, std::size_t nodes) {
        return static_cast<std::int64_t>(nodes) * config.tm;
    }

    struct Ask {  // the sources' REQUEST: put this one on the list
        NodeId origin{};
        Round number{};  // of the origin's requests
    };
    struct Token {
        Round number{};  // of the hand-over
    };
    using Message = std::variant<Ask, Token>;
    using Timer = std::variant<None>;
    using Request = std::variant<Enter, Leave>;
    using Notice = std::variant<Entered>;
    using Durable = None;
    using History = MutexHistory;
    using Turn = conclave::Turn<PathToken>;

    PathList list{};
    Section place = Section::outside;
    Round last{};  // the token's number when I had it last

    Section section(Instant) const { return place; }
    static std::span<const Property<PathToken>> properties();

    void on(Turn& turn, const Booted<PathToken>&) {
        const NodeId root = turn.seat.members[0].node;
        list.begin(turn.seat.self, root);
        list.token = root == turn.seat.self;
    }
    void on(Turn& turn, Enter) {
        if (place != Section::outside) return;
        place = Section::waiting;
        if (list.token) return enter(turn);
        const NodeId guess = list.join();
        turn.send(guess, Ask{turn.seat.self, list.asked});
    }
    void on(Turn& turn, Leave) {
        if (place != Section::inside) return;
        place = Section::outside;
        pass_on(turn);
    }

    void on(Turn& turn, NodeId, Ask ask) {
        if (list.is_copy(ask.origin, ask.number) && turn.fixed(rid)) return;
        if (const auto better = list.line_up(ask.origin)) turn.send(*better, ask);
        if (place == Section::outside) pass_on(turn);
    }
    void on(Turn& turn, NodeId, Token token) {
        if (token.number <= last && turn.fixed(token_number)) return;  // I have had it already
        last = token.number;
        list.token = true;
        if (place == Section::waiting) enter(turn);
    }

private:
    void enter(Turn& turn) {
        place = Section::inside;
        turn.tell(Entered{});
    }
    void pass_on(Turn& turn) {
        const auto heir = list.hand_over();
        if (!heir) return;
        last = last.next();
        turn.send(*heir, Token{last});
    }
};
static_assert(Protocol<PathToken>);

inline std::span<const Property<PathToken>> PathToken::properties() {
    return path::properties<PathToken>;
}

}  // namespace conclave
