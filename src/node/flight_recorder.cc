#include "node/flight_recorder.h"

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

#include "node/segments.h"

namespace conclave::node {

namespace {

struct Batch {
    struct Cut {  // here begins another file
        std::size_t at = 0;
        std::uint64_t segment = 0;
    };
    Bytes bytes;
    std::vector<Cut> cuts;

    bool empty() const { return bytes.empty() && cuts.empty(); }
    void clear() {
        bytes.clear();
        cuts.clear();
    }
};

}  // namespace

class FlightRecorder::Desk {
public:
    // How many bytes wait; an error if the disk has failed.
    Result<std::size_t> waiting() {
        const std::lock_guard guard(mutex_);
        if (failure_) return *failure_;
        return queue_.bytes.size();
    }
    void leave(ByteView bytes, std::optional<std::uint64_t> segment = std::nullopt) {
        bool idle = false;
        {
            const std::lock_guard guard(mutex_);
            idle = queue_.empty();
            if (segment) queue_.cuts.push_back({queue_.bytes.size(), *segment});
            queue_.bytes.insert(queue_.bytes.end(), bytes.begin(), bytes.end());
        }
        if (idle) wake_.notify_one();
    }
    bool close(Duration patience) {
        std::unique_lock guard(mutex_);
        closing_ = true;
        wake_.notify_one();
        return ended_signal_.wait_for(guard, patience, [this] { return ended_; });
    }

    void work(Segments segments, Incarnation life) {
        Batch batch;
        while (take(batch)) {
            if (auto error = write(segments, life, batch)) {
                const std::lock_guard guard(mutex_);
                failure_ = std::move(error);
                break;
            }
        }
        const std::lock_guard guard(mutex_);
        ended_ = true;
        ended_signal_.notify_all();
    }

private:
    // The two buffers change places, so that in the long run nothing is allocated.
    bool take(Batch& batch) {
        batch.clear();
        std::unique_lock guard(mutex_);
        wake_.wait(guard, [this] { return closing_ || !queue_.empty(); });
        std::swap(batch, queue_);
        return !batch.empty();
    }
    static std::optional<Error> write(Segments& segments, Incarnation life, const Batch& batch) {
        const ByteView bytes = batch.bytes;
        std::size_t done = 0;
        for (const Batch::Cut& cut : batch.cuts) {
            if (cut.at > done) {
                if (auto error = segments.append(bytes.subspan(done, cut.at - done))) return error;
            }
            if (auto error = segments.begin(life, cut.segment)) return error;
            done = cut.at;
        }
        return done < bytes.size() ? segments.append(bytes.subspan(done)) : std::nullopt;
    }

    std::mutex mutex_;
    std::condition_variable wake_, ended_signal_;
    Batch queue_;
    std::optional<Error> failure_;
    bool closing_ = false, ended_ = false;
};

FlightRecorder::FlightRecorder(Settings settings, LogSink& log)
    : settings_(std::move(settings)), log_(log), desk_(std::make_shared<Desk>()) {
    Segments segments(settings_.folder, settings_.head.name, settings_.bytes);
    thread_ = std::thread(
        [desk = desk_, segments = std::move(segments),
         life = settings_.head.incarnation]() mutable { desk->work(std::move(segments), life); });
    begin_segment();
}

FlightRecorder::~FlightRecorder() {
    if (desk_->close(settings_.patience)) {
        thread_.join();
    } else {
        thread_.detach();
    }
}

void FlightRecorder::step(const wire::RecordedStep& step) {
    if (!on_) return;
    ++settings_.head.steps;
    const auto waiting = desk_->waiting();
    if (!waiting) return give_up(waiting.error().what);
    if (behind_ || *waiting > settings_.backlog) {
        ++totals_.dropped;
        behind_ = *waiting > 0;
        if (!behind_) begin_segment();  // the state in it has this step behind it
        return;
    }
    buffer_.clear();
    if (!wire::append_step(buffer_, step)) {
        ++totals_.dropped;
        return begin_segment();
    }
    desk_->leave(buffer_);
    written_ += buffer_.size();
    totals_.bytes += buffer_.size();
    if (written_ >= Segments::limit(settings_.bytes)) begin_segment();
}

void FlightRecorder::reseat() {
    if (on_ && !behind_) begin_segment();
}

void FlightRecorder::end() {
    if (!on_ || behind_) return;
    buffer_.clear();
    wire::append_end(buffer_);
    desk_->leave(buffer_);
}

void FlightRecorder::begin_segment() {
    wire::RecordingHead& head = settings_.head;
    head.at = settings_.now();
    head.wall_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    buffer_.clear();
    if (!wire::append_recording(buffer_, head, settings_.machines())) {
        return give_up("a machine's state is too large");
    }
    desk_->leave(buffer_, head.segment++);
    written_ = buffer_.size();
    totals_.bytes += buffer_.size();
}

void FlightRecorder::give_up(const std::string& why) {
    on_ = false;
    log_.log(Level::error, "nothing is recorded any more", {{"why", why}});
}

std::string clock_identity() {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string line;
    std::getline(file, line);
    return line;
}

}  // namespace conclave::node
