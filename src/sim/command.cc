// sim/command.cc -- reads the commands of a script.
#include "sim/command.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/value.h"
#include "sim/plan_faults.h"
#include "sim/words.h"

namespace conclave {

namespace {

// One line, word by word. The first thing that is wrong stays.
class Reader {
public:
    Reader(std::string_view line, const std::vector<Member>& members)
        : members_(members), rest_(line) {
        skip_blanks();
    }

    Wrong wrong{};

    bool done() const { return rest_.empty(); }
    std::string_view peek() const { return rest_.substr(0, rest_.find(' ')); }
    std::string_view word() {
        const std::string_view taken = peek();
        rest_.remove_prefix(taken.size());
        skip_blanks();
        return taken;
    }
    bool takes(std::string_view expected) {
        if (peek() != expected) return false;
        word();
        return true;
    }
    std::string_view rest() { return std::exchange(rest_, {}); }

    NodeId node() {
        const std::string_view text = word();
        const auto id = read_node(text);
        if (!id) return complain("a node is missing" + near(text)), NodeId{};
        return known(*id);
    }
    Link link() {
        const std::string_view text = word();
        const auto ends = read_link(text);
        if (!ends) return complain("a link like 1>2 is missing" + near(text)), Link{};
        known(ends->from);
        known(ends->to);
        return *ends;
    }
    Duration time() {
        const std::string_view text = word();
        const auto read = read_time(text);
        if (!read) complain("a time is missing" + near(text));
        return read.value_or(Duration{});
    }
    std::int64_t integer() {
        const std::string_view text = word();
        const auto read = read_integer(text);
        if (!read) complain("a number is missing" + near(text));
        return read.value_or(0);
    }
    command::Pick pick() {
        const Link ends = link();
        if (ends.both) complain("a message goes one way: write 1>2");
        command::Pick pick{ends.from, ends.to};
        std::string_view text = rest();
        // MESSAGE life N
        const auto at = text.rfind("life ");
        if (at != text.npos && (at == 0 || text[at - 1] == ' ')) {
            if (const auto life = read_integer(text.substr(at + 5)); life && *life > 0) {
                pick.life = Incarnation{static_cast<std::uint64_t>(*life)};
                text = text.substr(0, at == 0 ? 0 : at - 1);
            }
        }
        pick.message = text;
        return pick;
    }
    const std::vector<Member>& members() const { return members_; }
    void complain(std::string what) {
        if (!wrong) wrong = std::move(what);
    }

private:
    static std::string near(std::string_view text) {
        return text.empty() ? std::string() : ", there is " + quote(text);
    }
    NodeId known(NodeId id) {
        if (std::ranges::find(members_, id, &Member::node) == members_.end()) {
            complain(stranger(id, members_.size()));
        }
        return id;
    }
    void skip_blanks() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size()));
    }

    const std::vector<Member>& members_;
    std::string_view rest_;
};

using What = decltype(Command::what);

template <class F> What read_one(Reader& in) { return command::Play{{F{in.node()}}}; }
template <class F> What read_two(Reader& in) {
    const NodeId observer = in.node();
    return command::Play{{F{observer, in.node()}}};
}
template <class F> What read_links(Reader& in) {
    const Link ends = in.link();
    std::vector<Fault> faults{F{ends.from, ends.to}};
    if (ends.both) faults.push_back(F{ends.to, ends.from});
    return command::Play{faults};
}

What read_deliver(Reader& in) {
    if (in.takes("all")) return command::Deliver{};
    return command::Deliver{in.pick()};
}
What read_lose(Reader& in) {
    if (in.takes("all")) return command::Lose{};
    return command::Lose{in.pick()};
}
What read_duplicate(Reader& in) { return command::Duplicate{in.pick()}; }
What read_expire(Reader& in) {
    const NodeId node = in.node();
    return command::Expire{node, std::string(in.rest())};
}
What read_crash(Reader& in) {
    const NodeId node = in.node();
    return command::Play{{fault::Crash{node, in.takes("torn")}}};
}
What read_restart(Reader& in) {
    const NodeId node = in.node();
    return command::Play{{fault::Restart{node, in.takes("amnesia")}}};
}
What read_heal(Reader& in) {
    if (in.takes("all")) return command::HealAll{};
    return read_links<fault::Heal>(in);
}
What read_partition(Reader& in) {
    const Severed severed = sever(in.word(), in.members());
    if (severed.wrong) in.complain(*severed.wrong);
    return command::Play{{severed.cuts.begin(), severed.cuts.end()}};
}
What read_ask(Reader& in) {
    const NodeId node = in.node();
    return command::Play{{fault::Ask{node, std::string(in.rest())}}};
}
What read_attribute(Reader& in) {
    const NodeId node = in.node();
    return command::Play{{fault::Attribute{node, in.integer()}}};
}
What read_drift(Reader& in) {
    const NodeId node = in.node();
    const std::string_view text = in.peek();
    const auto ppm = read_ppm(in.word());
    if (!ppm) in.complain(must_be("drift", "a clock's error in ppm", text));
    return command::Play{{fault::Drift{node, ppm.value_or(0)}}};
}
What read_run(Reader& in) {
    if (in.done()) return command::Run{};
    if (in.takes("until")) {
        if (!in.takes("settled")) in.complain("run until what? 'settled' is known");
        return command::Run{.until_settled = true};
    }
    return command::Run{.length = in.time()};
}
What read_show(Reader& in) {
    if (in.done()) return command::Show{};
    return command::Show{in.node()};
}
What read_counts(Reader& in) { return command::Tally{in.takes("clear")}; }
What read_events(Reader& in) {
    const bool on = in.takes("on");
    if (!on && !in.takes("off")) in.complain("events are on or off");
    return command::Events{on};
}
template <class C> What read_plain(Reader&) { return C{}; }

struct Verb {
    std::string_view name;
    What (*read)(Reader&);
};
constexpr std::array verbs{
    Verb{"deliver", read_deliver},
    Verb{"lose", read_lose},
    Verb{"duplicate", read_duplicate},
    Verb{"expire", read_expire},
    Verb{"crash", read_crash},
    Verb{"restart", read_restart},
    Verb{"pause", read_one<fault::Pause>},
    Verb{"resume", read_one<fault::Resume>},
    Verb{"cut", read_links<fault::Cut>},
    Verb{"heal", read_heal},
    Verb{"partition", read_partition},
    Verb{"call", read_one<fault::Call>},
    Verb{"whisper", read_two<fault::Whisper>},
    Verb{"ask", read_ask},
    Verb{"suspect", read_two<fault::Suspect>},
    Verb{"trust", read_two<fault::Trust>},
    Verb{"fail", read_two<fault::Fail>},
    Verb{"restarted", read_two<fault::Restarted>},
    Verb{"attribute", read_attribute},
    Verb{"drift", read_drift},
    Verb{"run", read_run},
    Verb{"show", read_show},
    Verb{"leaders", read_plain<command::Leaders>},
    Verb{"counts", read_counts},
    Verb{"pending", read_plain<command::Pending>},
    Verb{"check", read_plain<command::Check>},
    Verb{"events", read_events},
};

}  // namespace

Wrong read_command(std::string_view line, const std::vector<Member>& members, Command& into) {
    Reader in(line, members);
    into = {};
    if (in.takes("at")) into.at = Instant(in.time());
    if (in.wrong || (in.done() && into.at)) return in.wrong;
    const std::string_view name = in.word();
    const auto verb = std::ranges::find(verbs, name, &Verb::name);
    if (verb == verbs.end()) return "unknown command " + quote(name);
    into.what = verb->read(in);
    if (!in.done()) in.complain("nothing is known about " + quote(in.rest()));
    return in.wrong;
}

}  // namespace conclave
