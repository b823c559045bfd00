// engine/zookeeper/porter.h -- a thread beside the loop.
//
// It makes those calls of the ZooKeeper client that block: opening a session asks for the addresses
// of names, closing one waits for the client's own threads. And it does what must be done if the
// loop stands still.
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "core/types.h"
#include "net/clock.h"

namespace conclave::engine::zookeeper {

class Porter {
public:
    Porter() : thread_([this] { work(); }) {}
    ~Porter() { end(); }
    Porter(const Porter&) = delete;
    Porter& operator=(const Porter&) = delete;

    void run(std::function<void()> task) {  // after those before it
        {
            const std::lock_guard lock(mutex_);
            if (!ending_) {
                tasks_.push_back(std::move(task));
                return wake_.notify_one();
            }
        }
        task();  // there is nobody else to do it
    }
    // Unless it is put off, by another call for the same, or forgotten.
    void at(const void* what, Instant due, std::function<void()> task) {
        const std::lock_guard lock(mutex_);
        dates_[what] = {due, std::move(task)};
        wake_.notify_one();
    }
    void forget(const void* what) {
        const std::lock_guard lock(mutex_);
        dates_.erase(what);
    }
    void end() {  // when all is done, but for what is due later
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
            wake_.notify_one();
        }
        if (thread_.joinable()) thread_.join();
    }

private:
    struct Date {
        Instant due{};
        std::function<void()> task{};
    };
    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            take_due();
            if (tasks_.empty()) {
                if (ending_) return;
                wake_.wait_for(lock, until_next());
                continue;
            }
            const auto task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task();
            lock.lock();
        }
    }
    void take_due() {
        const Instant now = net::now();
        std::erase_if(dates_, [&](auto& date) {
            const bool due = date.second.due <= now;
            if (due) tasks_.push_back(std::move(date.second.task));
            return due;
        });
    }
    Duration until_next() const {
        Duration wait = std::chrono::minutes(1);
        for (const auto& [what, date] : dates_) wait = std::min(wait, date.due - net::now());
        return wait;
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    std::map<const void*, Date> dates_;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace conclave::engine::zookeeper
