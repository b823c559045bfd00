// tasks -- a coordinator hands out the work, anew whenever somebody comes or goes.
//
// The group reorganises by itself (Garcia-Molina's bully election): whoever coordinates is asked
// for a plan, and every member works by the plan that it was told last. Between two plans all have
// stopped.
#include <conclave/testing.hpp>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

namespace {

const std::vector<std::string> tasks{"mail", "billing", "backup", "search"};

// One line per task: "mail n1". They go round.
std::string plan(const std::vector<std::string>& members) {
    std::string lines;
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        lines += tasks[at] + " " + members[at % members.size()] + "\n";
    }
    return lines;
}

// What one member works by; empty: it has stopped.
class Worker {
public:
    void work_by(std::string_view plan) { set(std::string(plan)); }
    void stop() { set(""); }
    bool comes_to(const std::string& plan) {
        std::unique_lock guard(mutex_);
        return changed_.wait_for(guard, std::chrono::seconds(60), [&] { return plan_ == plan; });
    }

private:
    void set(std::string plan) {
        const std::lock_guard guard(mutex_);
        plan_ = std::move(plan);
        changed_.notify_all();
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    std::string plan_;
};

}  // namespace

int main() {
    std::array<Worker, 3> workers;
    conclave::TestCluster cluster({.groups = {}, .more = R"(
            [groups.tasks]
            algorithm = "garcia-molina"
            plan = "application"
        )"});
    for (std::size_t number = 1; number <= workers.size(); ++number) {
        Worker& worker = workers[number - 1];
        cluster.node(number).join(
            "tasks", {.plan = plan,
                      .on_definition = [&](std::string_view told) { worker.work_by(told); },
                      .on_stop = [&] { worker.stop(); }});
    }
    const std::string with_three = plan({"n1", "n2", "n3"}), with_two = plan({"n1", "n2"});
    for (Worker& one : workers) {
        if (!one.comes_to(with_three)) return 1;
    }
    std::printf("all three:\n%s", with_three.c_str());
    cluster.kill(3);  // the coordinator
    if (!workers[0].comes_to(with_two) || !workers[1].comes_to(with_two)) return 1;
    std::printf("without n3:\n%s", with_two.c_str());
    return 0;
}
