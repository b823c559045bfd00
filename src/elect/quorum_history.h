// elect/quorum_history.h -- what nodes told so far, as far as the properties need to remember it.
#pragma once
#include <algorithm>
#include <optional>

#include "core/small.h"
#include "elect/quorum_types.h"

namespace conclave::quorum {

struct History {
    struct Word {  // what one node has bound itself to, in all its lives
        NodeId node{};
        Epoch promised;
        Epoch released;
    };
    struct Slip {
        NodeId node{};
        Epoch epoch;
    };
    ElectionHistory elections;
    Epoch highest;                    // ever won
    std::optional<Slip> out_of_turn;  // won an epoch that was not above all before
    std::optional<Slip> went_back;    // voted in an epoch below one voted in before
    std::optional<Slip> broke_word;   // voted while an earlier promise to another still bound
    Small<Word, 8> words;

    void observe(NodeId node, const LeaderIs& told) {
        elections.observe(node, told);
        if (told.leader != node) return;
        if (told.epoch <= highest) out_of_turn = Slip{node, told.epoch};
        highest = std::max(highest, told.epoch);
    }
    void observe(NodeId node, const Promised& told) {
        Word& word = word_of(node);
        if (told.epoch < word.promised) went_back = Slip{node, told.epoch};
        if (told.broken) broke_word = Slip{node, told.epoch};
        word.promised = told.epoch;
    }
    void observe(NodeId node, const Released& told) { word_of(node).released = told.epoch; }

    Epoch released_by(NodeId node) const {
        for (const Word& word : words) {
            if (word.node == node) return word.released;
        }
        return {};
    }

private:
    Word& word_of(NodeId node) {
        for (Word& word : words) {
            if (word.node == node) return word;
        }
        words.push_back({node, {}, {}});
        return words.back();
    }
};

}  // namespace conclave::quorum
