#include "engine/etcd_queue.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <span>

#include "engine/etcd_words.h"
#include "net/json_members.h"

namespace conclave::engine::etcd {

namespace json = boost::json;

namespace {

using Mode = locks::Terms::Mode;

struct Wish {  // what a value says
    std::string holder;
    locks::Terms terms{};
    bool lock = false;
};

Wish wish_of(const Entry& entry) {
    const std::string suffix = entry.key.substr(entry.key.rfind('/') + 1);
    if (entry.value.empty()) return {suffix, {}, true};  // as `etcdctl lock` leaves it
    boost::system::error_code error;
    const json::value value = json::parse(entry.value, error);
    if (error || !member(value, "mode")) return {entry.value, {}, false};
    const std::string mode = text_member(value, "mode");
    const auto slots = number_member(value, "slots").value_or(1);
    Wish wish{text_member(value, "holder"), {}, true};
    if (mode == "shared") wish.terms.mode = Mode::shared;
    if (mode == "slot") wish.terms = {Mode::slot, static_cast<std::uint32_t>(slots)};
    return wish;
}

bool may_hold(std::span<const Wish> wishes, std::size_t at) {
    const locks::Terms& terms = wishes[at].terms;
    const auto older = wishes.first(at);
    if (terms.mode == Mode::exclusive) return older.empty();
    const bool alike =
        std::ranges::all_of(older, [&](const Wish& wish) { return wish.terms.mode == terms.mode; });
    return alike && (terms.mode == Mode::shared || at < terms.slots);
}

std::vector<Wish> wishes_of(const Queue& queue) {
    std::vector<Wish> wishes;
    for (const Entry& entry : queue) wishes.push_back(wish_of(entry));
    return wishes;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    const auto padding = text.size() - std::min(text.find_last_not_of('=') + 1, text.size());
    bytes.resize(static_cast<std::size_t>(size) - std::min<std::size_t>(padding, 2));
    return bytes;
}

std::optional<Entry> read_entry(const json::value& pair) {
    const auto key = from_base64(text_member(pair, "key"));
    const auto value = from_base64(text_member(pair, "value"));
    const auto created = signed_member(pair, "create_revision");
    const auto lease = signed_member(pair, "lease");
    if (!key || key->empty() || !value || created.value_or(0) <= 0 || !lease) return std::nullopt;
    return Entry{*key, *value, static_cast<std::uint64_t>(*created), *lease};
}

std::string hexadecimal(std::int64_t number) {
    std::array<char, 16> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            static_cast<std::uint64_t>(number), 16);
    return {digits.data(), end};
}

}  // namespace

Keys Keys::of(std::string_view root, std::string_view name) {
    std::string first(root);
    if (!root.empty()) first += '/';
    first.append(name).append("/");
    std::string end = first;
    ++end.back();  // '0', which no key below has at that place
    return {std::move(first), std::move(end)};
}

std::string Keys::key(std::int64_t lease) const { return first + hexadecimal(lease); }

bool Keys::directly_below(std::string_view key) const {
    return key.size() > first.size() && key.starts_with(first) &&
           key.find('/', first.size()) == key.npos;
}

std::string value_of(const Claim& claim) {
    if (claim.thing.kind == Thing::Kind::leadership) return claim.holder;
    json::object value{{"holder", claim.holder}, {"mode", "exclusive"}};
    if (claim.terms.mode == Mode::shared) value["mode"] = "shared";
    if (claim.terms.mode == Mode::slot) {
        value["mode"] = "slot";
        value["slots"] = claim.terms.slots;
    }
    return json::serialize(value);
}

std::optional<Turn> turn_of(const Queue& queue, std::string_view key) {
    const auto found = std::ranges::find(queue, key, &Entry::key);
    if (found == queue.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(found - queue.begin());
    const std::vector<Wish> wishes = wishes_of(queue);
    if (may_hold(wishes, at)) return Turn{.mine = true};
    const Mode mode = wishes[at].terms.mode;
    for (std::size_t older = at; older-- > 0;) {
        if (mode != Mode::exclusive && wishes[older].terms.mode == mode) continue;
        return Turn{.before = queue[older].key};
    }
    return Turn{.every_key = true};
}

Standing standing_of(const Thing& thing, const Queue& queue) {
    Standing standing{.thing = thing, .holders = {}, .waiting = {}};
    const std::vector<Wish> wishes = wishes_of(queue);
    for (std::size_t at = 0; at < queue.size(); ++at) {
        if (may_hold(wishes, at)) {
            standing.holders.push_back({wishes[at].holder, {Epoch{queue[at].created}, 0}});
        } else {
            standing.waiting.push_back(wishes[at].holder);
        }
    }
    return standing;
}

Thing::Kind kind_of(const Queue& queue) {
    const bool lock = !queue.empty() && wish_of(queue.front()).lock;
    return lock ? Thing::Kind::lock : Thing::Kind::leadership;
}

std::optional<std::string> name_of(std::string_view root, const Entry& entry) {
    const auto slash = entry.key.rfind('/');
    const std::size_t start = root.empty() ? 0 : root.size() + 1;
    if (slash == entry.key.npos || slash <= start || entry.lease == 0) return std::nullopt;
    if (std::string_view(entry.key).substr(slash + 1) != hexadecimal(entry.lease))
        return std::nullopt;
    return entry.key.substr(start, slash - start);
}

std::optional<Queue> read_queue(const json::value& range, const Keys* below) {
    Queue queue;
    const auto* pairs = member(range, "kvs");
    if (!range.is_object() || (pairs && !pairs->is_array())) return std::nullopt;
    for (const json::value& pair : pairs ? pairs->get_array() : json::array{}) {
        auto entry = read_entry(pair);
        if (!entry) return std::nullopt;
        if (!below || below->directly_below(entry->key)) queue.push_back(*std::move(entry));
    }
    std::ranges::sort(queue, {}, &Entry::created);
    return queue;
}

std::string base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP ends it with a zero
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

}  // namespace conclave::engine::etcd
