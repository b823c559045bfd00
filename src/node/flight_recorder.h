// node/flight_recorder.h -- keeps the last while of every machine, for `conclave replay`.
//
// The loop leaves what happened in a buffer, and a thread writes it: whatever the disk does, the
// loop waits for nothing. What has been handed to the system by then survives a SIGKILL. If the
// thread falls behind, steps are left out, and a new segment begins once it has caught up: a
// recording has gaps, but no lies. If it fails it is over, with a word in the log, and the node
// goes on.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "net/log.h"
#include "wire/recording.h"

namespace conclave::node {

class FlightRecorder {
public:
    struct Settings {
        std::filesystem::path folder;
        std::uint64_t bytes = 0;   // of all files together
        wire::RecordingHead head;  // whose it is; the times and numbers are filled in
        std::function<std::vector<wire::RecordedMachine>()> machines;  // as they are now
        std::function<Instant()> now;                                  // the clock of the steps
        std::size_t backlog = std::size_t{4} << 20;   // bytes that may wait for the disk
        Duration patience = std::chrono::seconds(2);  // with a disk that hangs at the end
    };
    struct Totals {
        std::uint64_t bytes = 0;    // recorded
        std::uint64_t dropped = 0;  // steps that are not
    };

    FlightRecorder(Settings settings, LogSink& log);
    ~FlightRecorder();  // writes what waits
    FlightRecorder(const FlightRecorder&) = delete;
    FlightRecorder& operator=(const FlightRecorder&) = delete;

    bool on() const { return on_; }
    // Right after the step, before anything else happens to any machine.
    void step(const wire::RecordedStep& step);
    void reseat();  // the machines have other members: nothing before that is replayed with these
    void end();     // the node stops of its own accord
    const Totals& totals() const { return totals_; }

private:
    class Desk;  // shared with the thread, which may have to be left behind

    void begin_segment();
    void give_up(const std::string& why);

    Settings settings_;
    LogSink& log_;
    bool on_ = true;
    bool behind_ = false;        // steps are being left out
    std::uint64_t written_ = 0;  // bytes of this segment
    Totals totals_;
    Bytes buffer_;
    std::shared_ptr<Desk> desk_;
    std::thread thread_;
};

// Instants of processes with the same one can be compared: this machine, since its boot.
std::string clock_identity();

}  // namespace conclave::node
