// sim/diary_test.h -- for tests: a protocol that writes down whatever happens to it.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/protocol.h"
#include "core/value.h"
#include "sim/clockwork.h"
#include "sim/slate.h"
#include "sim/stage.h"

namespace conclave::test {

struct Diary {
    static constexpr Model assumes{};
    static constexpr Claim claim{Kind::service, "", "", "", "", ""};
    struct Config {
        FixSet fixes{};
    };
    static Config configure(const Settings&) { return {}; }

    struct Note {
        std::uint64_t value = 0;
    };
    using Message = std::variant<Note>;
    struct Alarm {
        std::uint32_t id = 0;
    };
    using Timer = std::variant<Alarm>;
    struct Write {  // send a note
        NodeId to{};
        std::uint64_t value = 0;
    };
    struct Wake {  // arm an alarm
        std::uint32_t id = 0;
        Duration after{};
    };
    struct Sleep {  // disarm it
        std::uint32_t id = 0;
    };
    struct Keep {  // send note 1, save, send note 2
        NodeId to{};
        std::uint64_t value = 0;
    };
    using Request = std::variant<Write, Wake, Sleep, Keep>;
    using Notice = std::variant<None>;
    struct Durable {
        std::uint64_t value = 0;
    };
    using Turn = conclave::Turn<Diary>;

    std::vector<std::string> entries{};
    std::vector<Instant> times{};  // of each entry, on the node's own clock

    void on(Turn& turn, const Booted<Diary>& booted) {
        write(turn, "booted with " + std::to_string(booted.durable.value));
    }
    void on(Turn& turn, NodeId from, Note note) {
        write(turn, "note " + std::to_string(note.value) + " from " + to_text(from));
    }
    void on(Turn& turn, Alarm alarm) { write(turn, "alarm " + std::to_string(alarm.id)); }
    void on(Turn& turn, Write wish) { turn.send(wish.to, Note{wish.value}); }
    void on(Turn& turn, Wake wish) { turn.arm(Alarm{wish.id}, wish.after); }
    void on(Turn& turn, Sleep wish) { turn.disarm(Alarm{wish.id}); }
    void on(Turn& turn, Keep wish) {
        turn.send(wish.to, Note{1});
        turn.save(Durable{wish.value});
        turn.send(wish.to, Note{2});
    }
    void on(Turn& turn, Suspected peer) { write(turn, "suspected " + to_text(peer.node)); }
    void on(Turn& turn, Failed peer) { write(turn, "failed " + to_text(peer.node)); }
    void on(Turn& turn, Trusted peer) { write(turn, "trusted " + to_text(peer.node)); }
    void on(Turn& turn, Restarted peer) { write(turn, "restarted " + to_text(peer.node)); }

private:
    void write(Turn& turn, std::string what) {
        entries.push_back(std::move(what));
        times.push_back(turn.now);
    }
};

// Diaries 1..n on a stage whose messages take one unit and whose oracle tells after two.
class Shelf {
public:
    explicit Shelf(std::uint32_t nodes, bool reliable = true, bool incarnations = true)
        : setup_{MemberList(listed(nodes)), {}, incarnations},
          stage(bench_, Slate<Diary>(unit), {true, reliable, 2 * unit, 2 * unit}, 1) {
        stage.boot_all({});
        for (auto& node : stage.world.nodes) node.state = {};
    }

    // What this node wrote since it was last asked, as one line.
    std::string read(std::uint32_t id) {
        std::string all;
        for (const std::string& entry : std::exchange(node(id).state.entries, {})) {
            all += (all.empty() ? "" : ", ") + entry;
        }
        return all;
    }
    Node<Diary>& node(std::uint32_t id) { return stage.world.nodes[id - 1]; }
    template <class R> void ask(std::uint32_t id, R request) {
        stage.world.happen(id - 1, Asked<Diary>{request});
        stage.notice_torn();
    }
    void run(Duration length) {
        const Instant end = stage.world.now + length;
        while (clockwork_.happen_next(end)) {
        }
        stage.world.now = end;
    }
    auto& in_flight() { return stage.world.agenda.packets; }

private:
    static std::vector<Member> listed(std::uint32_t nodes) {
        std::vector<Member> members;
        for (std::uint32_t id = 1; id <= nodes; ++id) members.push_back({.node = NodeId{id}});
        return members;
    }

    Setup<Diary> setup_;
    Bench<Diary> bench_{setup_};
    Schedule nothing_;

public:
    Stage<Diary, Slate<Diary>> stage;

private:
    Clockwork<Diary, Slate<Diary>> clockwork_{stage, nothing_};
};

}  // namespace conclave::test
