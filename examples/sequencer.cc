// sequencer -- everybody may speak, and everybody hears the same in the same order.
//
// Whoever leads is the sequencer: it gives each message a number, and all members take messages by
// their numbers. A number is a fencing token: the epoch of the sequencer, and a count under it. So
// the next sequencer's are larger without asking anybody, and what a deposed one still sends is
// refused. Before it begins, a sequencer brings everybody to the longest log that it finds: a
// message that only some have heard is heard by all, or by none.
#include <algorithm>
#include <array>
#include <chrono>
#include <conclave/testing.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Entry {
    conclave::FencingToken number;
    std::string text;
    friend bool operator==(const Entry&, const Entry&) = default;
};
using Log = std::vector<Entry>;

class Member {
public:
    const Log& log() const { return log_; }
    bool hear(const Entry& entry) {
        if (!gate_.admit(entry.number)) return false;
        log_.push_back(entry);
        return true;
    }
    // The first word of a sequencer: from now on nobody before it is heard.
    bool follow(conclave::FencingToken sequencer, const Log& log) {
        if (!gate_.admit(sequencer)) return false;
        log_ = log;
        return true;
    }

private:
    conclave::FenceGate gate_;
    Log log_;
};
using Members = std::array<Member, 3>;

class Sequencer {
public:
    Sequencer(const conclave::Mandate& mandate, Members& members)
        : mandate_(mandate), members_(members) {
        const auto longest = std::ranges::max_element(
            members_, {}, [](const Member& one) { return one.log().size(); });
        const Log log = longest->log();
        for (Member& one : members_) one.follow(mandate_.token(), log);
    }
    // False: somebody else leads, and nothing more of ours counts. `reached` is for the story: how
    // many hear of it before this process stands still.
    bool say(const std::string& text, std::size_t reached = 3) {
        const Entry entry{{mandate_.epoch(), ++count_}, text};
        bool all = true;
        for (std::size_t at = 0; at < reached; ++at) all = members_[at].hear(entry) && all;
        return all;
    }

private:
    const conclave::Mandate& mandate_;
    Members& members_;
    std::uint64_t count_ = 0;
};

}  // namespace

int main() {
    conclave::TestCluster cluster;
    Members members;
    const conclave::Mandate old_mandate = cluster.node(1).join("main").campaign();
    Sequencer old_sequencer(old_mandate, members);
    old_sequencer.say("open");
    old_sequencer.say("deposit 10");
    old_sequencer.say("deposit 20", 1);  // one member has heard it when everything stops
    cluster.pause(1);
    const conclave::Mandate new_mandate = cluster.node(2).join("main").campaign();
    Sequencer new_sequencer(new_mandate, members);
    new_sequencer.say("close");
    const bool stale = old_sequencer.say("deposit 30");  // awake again, and none the wiser
    for (const Member& one : members) {
        for (const auto& [number, text] : one.log()) {
            std::printf("%s %-12s", to_string(number).c_str(), text.c_str());
        }
        std::printf("\n");
    }
    const bool same = std::ranges::all_of(
        members, [&](const Member& one) { return one.log() == members[0].log(); });
    return same && !stale && members[0].log().size() == 4 ? 0 : 1;
}
