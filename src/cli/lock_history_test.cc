// cli/lock_history_test.cc -- the judge of lock_history_test.h, and that it can say no.
#include "cli/lock_history_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/run_test.h"

namespace conclave {

namespace {

bool exclusive(const LockTerms& terms) { return !terms.shared && terms.slots == 0; }

// Whether the two may never have it at the same time. Slots are counted instead.
bool in_conflict(const LockTerms& one, const LockTerms& other) {
    return exclusive(one) || exclusive(other) || one.shared != other.shared;
}

std::string text(Instant when) { return std::to_string(when.time_since_epoch().count()); }

std::string text(const LockGrant& one) {
    std::string words = one.noted + " " + to_string(one.token) + " from " + text(one.from);
    if (one.until) words.append(" to ").append(text(*one.until));
    return words;
}

// One lock's holders in the order in which they began. Only those who ever held it: a grant that a
// paused client finds when its session is long over may be noted in any order.
class OneLock {
public:
    explicit OneLock(std::vector<std::string>& broken) : broken_(broken) {}

    void begins(const LockGrant& next) {
        std::erase_if(holding_, [&](const LockGrant* one) {
            const bool over = *one->until < next.from;
            if (over) past_.push_back(one);
            return over;
        });
        keep_largest();
        for (const LockGrant* one : holding_) {
            if (in_conflict(one->terms, next.terms)) complain("two holders at once", *one, next);
        }
        // Whoever held it before and could not have shared it was granted it before.
        for (const LockGrant* one : past_) {
            if (in_conflict(one->terms, next.terms) && one->token >= next.token)
                complain("a token that goes back", *one, next);
        }
        holding_.push_back(&next);
        if (next.terms.slots > 0 && holding_.size() > next.terms.slots)
            complain("more holders than slots", *holding_.front(), next);
    }

private:
    // Of those before only the largest token of each sort matters from now on.
    void keep_largest() {
        std::vector<const LockGrant*> largest;
        for (const LockGrant* one : past_) {
            const auto same = std::ranges::find_if(largest, [&](const LockGrant* other) {
                return exclusive(one->terms) == exclusive(other->terms) &&
                       one->terms.shared == other->terms.shared;
            });
            if (same == largest.end()) {
                largest.push_back(one);
            } else if ((*same)->token < one->token) {
                *same = one;
            }
        }
        past_ = std::move(largest);
    }
    void complain(const char* what, const LockGrant& one, const LockGrant& other) {
        broken_.push_back(one.lock + ": " + what + ": " + text(one) + ", " + text(other));
    }

    std::vector<std::string>& broken_;
    std::vector<const LockGrant*> holding_, past_;
};

void judge_holders(const LockHistory& history, std::vector<std::string>& broken) {
    std::vector<const LockGrant*> held;
    for (const LockGrant& one : history.grants) {
        if (one.until) held.push_back(&one);
    }
    std::ranges::sort(held, {}, &LockGrant::from);
    std::map<std::string, OneLock> locks;
    for (const LockGrant* one : held)
        locks.try_emplace(one->lock, broken).first->second.begins(*one);
}

void judge_tokens(const LockHistory& history, std::vector<std::string>& broken) {
    std::map<FencingToken, const LockGrant*> owners;
    for (const LockGrant& one : history.grants) {
        const auto [known, first] = owners.try_emplace(one.token, &one);
        if (first) continue;
        broken.push_back(one.lock + ": a token twice: " + text(*known->second) + ", " + text(one));
    }
}

void judge_waits(const LockHistory& history, const Calm& calm, std::vector<std::string>& broken) {
    for (const LockWait& one : history.waits) {
        if (one.killed) continue;
        const std::string who = one.lock + ": " + one.noted + " asked at " + text(one.asked);
        if (!one.answered) {
            broken.push_back(who + " and was never answered");
        } else if (*one.answered - std::max(one.asked, calm.since) > calm.patience) {
            broken.push_back(who + " and was answered at " + text(*one.answered) + ", too late");
        }
    }
}

}  // namespace

std::vector<std::string> broken_by(const LockHistory& history, const Calm& calm) {
    std::vector<std::string> broken;
    judge_holders(history, broken);
    judge_tokens(history, broken);
    judge_waits(history, calm, broken);
    return broken;
}

namespace {

LockTerms terms_from(const std::string& word) {
    LockTerms terms;
    terms.shared = word == "shared";
    if (word.starts_with("slots:"))
        terms.slots = static_cast<std::uint32_t>(std::stoul(word.substr(6)));
    return terms;
}

}  // namespace

void read_notes(const std::filesystem::path& file, bool killed, LockHistory& history) {
    std::istringstream notes(slurp(file));
    std::string line;
    LockTerms terms;
    LockWait* waiting = nullptr;
    LockGrant* held = nullptr;
    for (int at = 1; std::getline(notes, line) && !notes.eof(); ++at) {  // the end may be cut off
        std::istringstream words(line);
        std::int64_t clock = 0;
        std::string what, lock, more;
        words >> clock >> what >> lock >> more;
        const Instant when{Duration(clock)};
        const std::string noted = file.filename().string() + ":" + std::to_string(at);
        if (what == "asked") {
            terms = terms_from(more);
            waiting = &history.waits.emplace_back(LockWait{noted, lock, when});
            held = nullptr;
        } else if (waiting && (what == "granted" || what == "nothing")) {
            waiting->answered = when;
            if (what == "nothing") continue;
            const auto token = parse_token(lock);
            EXPECT_TRUE(token) << noted << ": " << line;
            held = &history.grants.emplace_back(
                LockGrant{noted, waiting->lock, terms, token.value_or(FencingToken{}), when});
        } else if (held && what == "held") {
            held->until = when;
        } else {
            ADD_FAILURE() << noted << ": not a note: " << line;
        }
    }
    if (waiting && !waiting->answered) waiting->killed = killed;
}

// --- That it can say no. -------------------------------------------------------------------------

namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr LockTerms alone{}, shared{.shared = true}, two_slots{.slots = 2};
constexpr Calm calm{Instant(Duration(1000)), Duration(100)};

LockGrant grant(std::uint64_t number, int from, std::optional<int> until, LockTerms terms = alone) {
    LockGrant one{
        "c" + std::to_string(number), "press", terms, {4, number}, Instant(Duration(from))};
    if (until) one.until = Instant(Duration(*until));
    return one;
}
std::vector<std::string> judged(std::vector<LockGrant> grants) {
    return broken_by({std::move(grants), {}}, calm);
}

TEST(LockHistories, OneHolderAfterTheOtherBreaksNothing) {
    EXPECT_THAT(judged({grant(1, 0, 10), grant(2, 11, 20), grant(3, 21, 21)}), IsEmpty());
}
TEST(LockHistories, AnOverlapOfANanosecondIsSeen) {
    EXPECT_THAT(
        judged({grant(1, 0, 10), grant(2, 10, 20)}),
        ElementsAre("press: two holders at once: c1 4.1 from 0 to 10, c2 4.2 from 10 to 20"));
}
TEST(LockHistories, AnOverlapWithOneWhoBeganLongBeforeIsSeen) {
    EXPECT_THAT(
        judged({grant(3, 40, 50), grant(2, 20, 30), grant(1, 0, 40)}),
        ElementsAre(HasSubstr("c1 4.1 from 0 to 40, c2"), HasSubstr("c1 4.1 from 0 to 40, c3")));
}
TEST(LockHistories, DifferentLocksAreHeldAtOnce) {
    LockGrant other = grant(2, 5, 20);
    other.lock = "book";
    EXPECT_THAT(judged({grant(1, 0, 10), other}), IsEmpty());
}
TEST(LockHistories, ATokenThatIsGivenTwiceIsSeenWhateverTheLock) {
    LockGrant other = grant(1, 30, std::nullopt);
    other.lock = "book";
    EXPECT_THAT(judged({grant(1, 0, 10), other}), ElementsAre(HasSubstr("a token twice")));
}
TEST(LockHistories, ATokenThatGoesBackIsSeen) {
    EXPECT_THAT(judged({grant(3, 0, 10), grant(4, 12, 15), grant(2, 20, 30)}),
                ElementsAre(HasSubstr("a token that goes back: c4")));
}
// It was paused before it could note the grant, and its session ended meanwhile.
TEST(LockHistories, AGrantThatWasNeverHeldStandsInNobodysWay) {
    EXPECT_THAT(judged({grant(2, 0, 10), grant(1, 5, std::nullopt)}), IsEmpty());
}
TEST(LockHistories, SomeShareAndNobodyElseHasItMeanwhile) {
    EXPECT_THAT(judged({grant(2, 0, 20, shared), grant(1, 5, 15, shared), grant(3, 21, 30)}),
                IsEmpty());
    EXPECT_THAT(judged({grant(1, 0, 20, shared), grant(2, 5, 15, shared), grant(3, 16, 30)}),
                ElementsAre(HasSubstr("two holders at once: c1")));
    EXPECT_THAT(judged({grant(1, 0, 20), grant(2, 20, 30, shared)}),
                ElementsAre(HasSubstr("two holders at once: c1")));
    EXPECT_THAT(judged({grant(2, 0, 20, shared), grant(1, 25, 30)}),
                ElementsAre(HasSubstr("a token that goes back")));
}
TEST(LockHistories, SlotsAreAsManyAsThereAre) {
    EXPECT_THAT(judged({grant(1, 0, 20, two_slots), grant(2, 5, 30, two_slots),
                        grant(3, 21, 40, two_slots)}),
                IsEmpty());
    EXPECT_THAT(judged({grant(1, 0, 20, two_slots), grant(2, 5, 30, two_slots),
                        grant(3, 20, 40, two_slots)}),
                ElementsAre(HasSubstr("more holders than slots")));
}
TEST(LockHistories, WhoWaitsForEverIsSeenUnlessItWasKilled) {
    const LockWait never{"c1:7", "press", Instant(Duration(900))};
    LockWait killed = never;
    killed.killed = true;
    EXPECT_THAT(broken_by({{}, {killed}}, calm), IsEmpty());
    EXPECT_THAT(broken_by({{}, {never}}, calm),
                ElementsAre("press: c1:7 asked at 900 and was never answered"));
}
TEST(LockHistories, WhoWaitsTooLongAfterTheLastFaultIsSeen) {
    LockWait wait{"c1:7", "press", Instant(Duration(900)), Instant(Duration(1100))};
    EXPECT_THAT(broken_by({{}, {wait}}, calm), IsEmpty());
    wait.answered = Instant(Duration(1101));
    EXPECT_THAT(broken_by({{}, {wait}}, calm), ElementsAre(HasSubstr("too late")));
}

class LockNotes : public Command {
protected:
    LockHistory read(const std::string& text, bool killed) const {
        std::ofstream(folder / "c1.2") << text;
        LockHistory history;
        read_notes(folder / "c1.2", killed, history);
        return history;
    }
};

TEST_F(LockNotes, AreReadAsTheyWereWritten) {
    const LockHistory history = read(
        "5 asked press exclusive\n8 granted 4.7\n9 held\n12 held\n"
        "20 asked book shared\n30 nothing\n40 asked desk slots:3\n50 granted 5.1\n",
        false);
    ASSERT_EQ(history.waits.size(), 3u);
    EXPECT_EQ(history.waits[1].answered, Instant(Duration(30)));
    ASSERT_EQ(history.grants.size(), 2u);
    EXPECT_EQ(text(history.grants[0]), "c1.2:2 4.7 from 8 to 12");
    EXPECT_EQ(text(history.grants[1]), "c1.2:8 5.1 from 50");
    EXPECT_EQ(history.grants[1].lock, "desk");
    EXPECT_EQ(history.grants[1].terms.slots, 3u);
}
TEST_F(LockNotes, OfOneThatWasKilledMayEndInTheMiddle) {
    const std::string notes = "5 asked press exclusive\n8 gran";
    EXPECT_TRUE(read(notes, true).waits.at(0).killed);
    EXPECT_FALSE(read(notes, false).waits.at(0).killed);
    EXPECT_THAT(read(notes, true).grants, IsEmpty());
}

}  // namespace
}  // namespace conclave
