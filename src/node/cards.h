// node/cards.h -- who is in the cluster beyond what this node's configuration says: a card for
// everybody who was added or removed while it ran.
//
// A card is a fact about one id with a version: the larger one counts, whoever shows it, so cards
// may be shown in any order, twice, and by everybody to everybody. The elections decide whose vote
// counts; a card only says where its node is found, and whether it is to be talked to at all.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/leaf_bytes.h"
#include "core/types.h"

namespace conclave::node {

struct Card {
    NodeId id{};
    std::string name, address;
    std::uint64_t version = 0;  // of this id
    bool removed = false;
};

class Cards {
public:
    static constexpr std::string_view record = "(cards)";  // no group can have that name
    static constexpr std::string_view format = "1";

    const std::vector<Card>& list() const { return list_; }  // by id
    const Card* find(NodeId id) const;
    bool removed(NodeId id) const;

    // Whether it is news. Of two with one version, all keep the same.
    bool take(const Card& card);
    // One that is news to everybody who knows what I know.
    Card draw(NodeId id, std::string name, std::string address, bool removed) const;

    Bytes bytes() const;
    [[nodiscard]] bool read(ByteView bytes);  // false: these are no cards

private:
    std::vector<Card> list_;
};

}  // namespace conclave::node
