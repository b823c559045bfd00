// store/writer.cc -- a queue, a thread, and an orderly end.
#include "store/writer.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace conclave {

namespace {

constexpr std::size_t entries_waiting_most = 4096;

using Question = std::function<Writer::Task(Store&)>;  // asked on the thread, answered on the loop

struct Batch {
    std::vector<Pending> records;
    std::vector<Writer::Task> done;  // of the records
    std::vector<HistoryEntry> entries;
    std::vector<Question> questions;

    bool urgent() const { return !records.empty() || !questions.empty(); }
    bool empty() const { return !urgent() && entries.empty(); }
};

}  // namespace

class Writer::Desk {
public:
    explicit Desk(Hooks hooks) : hooks_(std::move(hooks)) {}

    template <class Change> void leave(Change change) {
        {
            const std::lock_guard guard(queue_mutex_);
            change(queue_);
        }
        wake_.notify_one();
    }
    void close() {
        {
            const std::lock_guard guard(queue_mutex_);
            closing_ = true;
        }
        wake_.notify_one();
    }
    bool wait_for_the_end() {
        std::unique_lock guard(queue_mutex_);
        return ended_signal_.wait_for(guard, hooks_.patience, [this] { return ended_; });
    }
    void abandon() {
        const std::lock_guard guard(post_mutex_);
        abandoned_ = true;
    }

    void work(Store store) {
        {
            Store mine = std::move(store);  // closed, and its lock released, before we say so
            while (auto batch = take()) serve(mine, std::move(*batch));
        }
        const std::lock_guard guard(queue_mutex_);
        ended_ = true;
        ended_signal_.notify_all();
    }

private:
    std::optional<Batch> take() {
        std::unique_lock guard(queue_mutex_);
        wake_.wait(guard, [this] { return closing_ || !queue_.empty(); });
        wake_.wait_for(guard, hooks_.linger, [this] { return closing_ || queue_.urgent(); });
        if (queue_.empty()) return std::nullopt;
        return std::exchange(queue_, {});
    }

    void serve(Store& store, Batch batch) {
        if (!batch.records.empty() || !batch.entries.empty()) write(store, batch);
        for (const auto& question : batch.questions) post(question(store));
        if (!batch.questions.empty()) give_back(std::move(batch.questions));
        store.settle();  // after the acknowledgements
    }

    void write(Store& store, Batch& batch) {
        if (!broken_) {
            const auto trouble = store.commit(batch.records, batch.entries);
            if (!trouble) {
                return post([done = std::move(batch.done)] {
                    for (const auto& one : done) one();
                });
            }
            broken_ = true;
            post([failed = hooks_.failed, trouble] { failed(*trouble); });
        }
        give_back(std::move(batch.done));
    }

    // What the loop left with us may hold things of the loop's, and must die on its thread.
    template <class T> void give_back(std::vector<T> things) {
        post([things = std::move(things)] {});
    }

    void post(Task task) {
        const std::lock_guard guard(post_mutex_);
        if (!abandoned_) hooks_.post(std::move(task));
    }

    const Hooks hooks_;
    bool broken_ = false;  // the thread's own

    std::mutex queue_mutex_;
    std::condition_variable wake_, ended_signal_;
    Batch queue_;
    bool closing_ = false, ended_ = false;

    std::mutex post_mutex_;  // apart from the queue's: a posted task may save again
    bool abandoned_ = false;
};

Writer::Writer(Store store, Hooks hooks)
    : desk_(std::make_shared<Desk>(std::move(hooks))),
      thread_([desk = desk_](Store mine) { desk->work(std::move(mine)); }, std::move(store)) {}

Writer::~Writer() {
    desk_->close();
    if (desk_->wait_for_the_end()) {
        thread_.join();
    } else {
        desk_->abandon();
        thread_.detach();
    }
}

void Writer::save(Pending record, Task done) {
    desk_->leave([&](Batch& queue) {
        queue.records.push_back(std::move(record));
        queue.done.push_back(std::move(done));
    });
}

void Writer::append(HistoryEntry entry) {
    desk_->leave([&](Batch& queue) {
        if (queue.entries.size() < entries_waiting_most) queue.entries.push_back(std::move(entry));
    });
}

void Writer::meet(NodeId peer, PeerShown shown, Answer<PeerKnown> answer) {
    Question question = [=, shown = std::move(shown), answer = std::move(answer)](Store& store) {
        return Task([answer, known = store.meet(peer, shown)] { answer(known); });
    };
    desk_->leave([&](Batch& queue) { queue.questions.push_back(std::move(question)); });
}

void Writer::forget(NodeId peer, std::function<void(std::optional<Error>)> answer) {
    Question question = [=, answer = std::move(answer)](Store& store) {
        return Task([answer, trouble = store.forget(peer)] { answer(trouble); });
    };
    desk_->leave([&](Batch& queue) { queue.questions.push_back(std::move(question)); });
}

void Writer::history(HistoryQuery query, Answer<std::vector<HistoryEntry>> answer) {
    Question question = [query = std::move(query), answer = std::move(answer)](Store& store) {
        return Task([answer, entries = store.history(query)] { answer(entries); });
    };
    desk_->leave([&](Batch& queue) { queue.questions.push_back(std::move(question)); });
}

}  // namespace conclave
