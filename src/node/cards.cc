#include "node/cards.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "wire/layout.h"

namespace conclave::node {

namespace {

// Two nodes may draw the same version at the same time: everybody keeps the same one of the two.
auto rank(const Card& card) {
    return std::tie(card.version, card.removed, card.name, card.address);
}

}  // namespace

const Card* Cards::find(NodeId id) const {
    const auto found = std::ranges::lower_bound(list_, id, {}, &Card::id);
    return found != list_.end() && found->id == id ? &*found : nullptr;
}

bool Cards::removed(NodeId id) const {
    const Card* card = find(id);
    return card && card->removed;
}

bool Cards::take(const Card& card) {
    const auto place = std::ranges::lower_bound(list_, card.id, {}, &Card::id);
    if (place == list_.end() || place->id != card.id) {
        list_.insert(place, card);
        return true;
    }
    if (rank(card) <= rank(*place)) return false;
    *place = card;
    return true;
}

Card Cards::draw(NodeId id, std::string name, std::string address, bool removed) const {
    const Card* known = find(id);
    const std::uint64_t version = known ? known->version + 1 : 1;
    return {id, std::move(name), std::move(address), version, removed};
}

Bytes Cards::bytes() const {
    Bytes out;
    encode<wire::Growing>(out, list_);
    return out;
}

bool Cards::read(ByteView bytes) {
    std::vector<Card> read;
    if (!decode<wire::Growing>(bytes, read) || !bytes.empty()) return false;
    list_ = std::move(read);
    return true;
}

}  // namespace conclave::node
