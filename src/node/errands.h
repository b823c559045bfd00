// node/errands.h -- what the operator's commands are asked for a group: is the application healthy,
// how good is this node, what is the plan, stop.
#pragma once
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>

#include "net/log.h"
#include "node/config.h"
#include "node/hosted_group.h"

namespace conclave::node {

class Errands {
public:
    struct Office {  // of whom the errands are run
        std::function<void(bool healthy)> health;
        std::function<std::string(NodeId)> name_of;
    };

    Errands(boost::asio::io_context& loop, const Group& settings, HostedGroup& group, Office office,
            LogSink& log, std::filesystem::path disk);

    void start();  // from now on health and attribute are asked every second
    void stop();
    void told(const Told& notice);  // by the group's machine

private:
    void ask_health();
    void ask_attribute();
    void make_plan(const PlanWanted& wanted);
    void stop_processing();
    void complain(const char* about, const std::string& why);
    void again();

    boost::asio::io_context& loop_;
    const Group& settings_;
    HostedGroup& group_;
    Office office_;
    LogSink& log_;
    const std::filesystem::path disk_;  // whose free room counts
    boost::asio::steady_timer timer_;
    bool asking_health_ = false, asking_attribute_ = false, stopped_ = false;
    std::string complaint_;  // the last one
};

}  // namespace conclave::node
