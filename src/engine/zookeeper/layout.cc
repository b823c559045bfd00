#include "engine/zookeeper/layout.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <random>
#include <ranges>

#include "net/http_target.h"

namespace conclave::engine::zookeeper {

namespace {

using Kind = Ticket::Kind;

struct Word {
    Kind kind;
    std::string_view text;
};
constexpr std::array words{Word{Kind::latch, "latch-"}, Word{Kind::lock, "lock-"},
                           Word{Kind::read, "__READ__"}, Word{Kind::write, "__WRIT__"},
                           Word{Kind::lease, "lease-"}};

std::string_view word_of(Kind kind) { return std::ranges::find(words, kind, &Word::kind)->text; }

constexpr std::size_t digits = 10;  // of ZooKeeper's numbers

bool is_lock(Kind kind) { return kind != Kind::latch && kind != Kind::lease; }

bool competes(Kind one, Kind other) { return is_lock(one) ? is_lock(other) : one == other; }

// Readers pass readers; everybody else waits for whoever was first.
bool waits_for(Kind one, Kind other) { return one != Kind::read || other != Kind::read; }

}  // namespace

std::optional<Ticket> read_ticket(std::string_view name) {
    if (name.size() < digits) return std::nullopt;
    const std::string_view number = name.substr(name.size() - digits);
    const std::string_view rest = name.substr(0, name.size() - digits);
    Ticket ticket{.name = std::string(name)};
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), ticket.number);
    if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
    for (const Word& word : words) {
        if (!rest.ends_with(word.text)) continue;
        ticket.kind = word.kind;
        return ticket;
    }
    return std::nullopt;
}

std::vector<Ticket> queue_of(const std::vector<std::string>& names, Kind kind) {
    std::vector<Ticket> queue;
    for (const std::string& name : names) {
        auto ticket = read_ticket(name);
        if (ticket && competes(kind, ticket->kind)) queue.emplace_back(std::move(*ticket));
    }
    std::ranges::sort(queue, {}, &Ticket::number);
    return queue;
}

std::string draw_name(Kind kind) {
    static constexpr std::string_view hex = "0123456789abcdef";
    std::string uuid = "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx";
    std::random_device lot;
    for (char& c : uuid) {
        if (c == 'x') c = hex[lot() % hex.size()];
    }
    return std::string("_c_").append(uuid).append("-").append(word_of(kind));
}

std::vector<Step> steps_of(const Claim& claim, const std::string& root) {
    const std::string folder = folder_of(claim.thing, root);
    if (claim.thing.kind == Thing::Kind::leadership) return {{folder, Kind::latch}};
    switch (claim.terms.mode) {
        case locks::Terms::Mode::exclusive:
            return {{folder, Kind::lock}};
        case locks::Terms::Mode::shared:
            return {{folder, Kind::read}};
        case locks::Terms::Mode::slot:
            break;
    }
    return {{folder + "/" + std::string(slot_queue), Kind::lock},
            {folder + "/" + std::string(slot_leases), Kind::lease, claim.terms.slots}};
}

Position position_of(const std::string& own, const std::vector<std::string>& names,
                     const Step& step) {
    const std::vector<Ticket> queue = queue_of(names, step.kind);
    const auto me = std::ranges::find(queue, own, &Ticket::name);
    if (me == queue.end()) return {};
    if (step.kind == Kind::lease) {
        return {queue.size() <= step.room ? Position::Where::front : Position::Where::behind};
    }
    for (auto at = me; at != queue.begin();) {
        --at;
        if (waits_for(step.kind, at->kind)) return {Position::Where::behind, at->name};
    }
    return {Position::Where::front};
}

std::string folder_of(Thing::Kind kind, const std::string& root) {
    return root + (kind == Thing::Kind::leadership ? "/conclave/leaders" : "/conclave/locks");
}

std::string folder_of(const Thing& thing, const std::string& root) {
    if (thing.name.starts_with('/')) return root + thing.name;
    std::string node = net::percent_encoded(thing.name);
    if (node == "." || node == "..") node.replace(0, 1, "%2E");  // ZooKeeper refuses the two
    return folder_of(thing.kind, root).append("/").append(node);
}

std::optional<std::string> name_in_folder(std::string_view node) {
    const auto target = net::parse_target(std::string("/").append(node));
    if (!target || target->path.size() != 1) return std::nullopt;
    return target->path.front();
}

std::string parent_of(std::string_view path) {
    return std::string(path.substr(0, path.rfind('/')));
}

Standing standing_of(const Thing& thing, const Picture& picture) {
    Standing standing{thing, {}, {}};
    const auto holds = [&](const Entry& entry) {
        standing.holders.push_back(
            {entry.holder, {Epoch{static_cast<std::uint64_t>(entry.czxid)}, 0}});
    };
    bool open = true;  // whoever is next holds it, too
    for (const Entry& entry : picture.queue) {
        const bool first = standing.holders.empty();
        open = open && (first || !waits_for(entry.ticket.kind, picture.queue.front().ticket.kind));
        if (open) {
            holds(entry);
        } else {
            standing.waiting.push_back(entry.holder);
        }
    }
    // Who has a ticket of the queue still waits for a lease, though its own may be there already.
    const auto still_waits = [&](const Entry& lease) {
        const std::string_view uuid = std::string_view(lease.ticket.name).substr(0, 39);
        return std::ranges::any_of(
            picture.slots, [&](const Entry& entry) { return entry.ticket.name.starts_with(uuid); });
    };
    for (const Entry& entry : picture.leases) {
        if (!still_waits(entry)) holds(entry);
    }
    for (const Entry& entry : picture.slots) standing.waiting.push_back(entry.holder);
    return standing;
}

}  // namespace conclave::engine::zookeeper
