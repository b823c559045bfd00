// library/dispatcher.h -- runs what applications gave us, one after the other, apart from whatever
// must be in time.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "library/signals.h"

namespace conclave {

class Dispatcher {
public:
    // What is queued still runs: a callback that says "started" is owed its "stopped". Who takes
    // longer than a second is left to itself, and what is queued behind it is dropped.
    ~Dispatcher() {
        std::unique_lock guard(desk_->mutex);
        desk_->ended = true;
        desk_->changed.notify_all();
        if (!thread_.joinable()) return;
        if (thread_.get_id() != std::this_thread::get_id()) {
            desk_->changed.wait_for(guard, std::chrono::seconds(1), [this] { return desk_->gone; });
        }
        desk_->tasks.clear();
        thread_.detach();
    }
    void run(std::function<void()> task) {
        const std::lock_guard guard(desk_->mutex);
        add(std::move(task));
    }
    // Not if so many wait already: for what may be left out.
    void offer(std::function<void()> task, std::size_t most) {
        const std::lock_guard guard(desk_->mutex);
        if (desk_->tasks.size() < most) add(std::move(task));
    }
    bool on_its_thread() const {
        const std::lock_guard guard(desk_->mutex);
        return thread_.get_id() == std::this_thread::get_id();
    }

private:
    struct Desk {
        static void work(const std::shared_ptr<Desk>& desk) {
            std::unique_lock guard(desk->mutex);
            for (;;) {
                desk->changed.wait(guard, [&] { return desk->ended || !desk->tasks.empty(); });
                if (desk->tasks.empty()) break;
                auto task = std::move(desk->tasks.front());
                desk->tasks.pop_front();
                guard.unlock();
                try {
                    task();
                } catch (...) {  // an application's mistake must not end the application
                }
                task = nullptr;  // what it holds may end here, too
                guard.lock();
            }
            desk->gone = true;
            desk->changed.notify_all();
        }
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<std::function<void()>> tasks;
        bool ended = false, gone = false;
    };

    void add(std::function<void()> task) {
        desk_->tasks.push_back(std::move(task));
        if (!thread_.joinable()) {
            const SignalsKeptOff quiet;
            thread_ = std::thread(&Desk::work, desk_);
        }
        desk_->changed.notify_all();
    }

    std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
    std::thread thread_;
};

}  // namespace conclave
