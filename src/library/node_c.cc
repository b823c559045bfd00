// library/node_c.cc -- the part of conclave.h for a node inside of the process.
#include <chrono>
#include <cstring>
#include <utility>

#include "conclave/conclave.h"
#include "conclave/conclave.hpp"
#include "library/c_words.h"

struct conclave_node {
    conclave::Node node;
};
struct conclave_mandate {
    conclave::Mandate mandate;
};

conclave_node* conclave_start(const char* file, char** error) {
    return conclave::without_throwing(error, [&] {
        return new conclave_node{conclave::Node::start(conclave::Options::load(file))};
    });
}
void conclave_stop(conclave_node* node) { delete node; }

char* conclave_leader(conclave_node* node, const char* group, char** error) {
    return conclave::without_throwing(error, [&]() -> char* {
        const auto leader = node->node.join(group).leader();
        return leader ? ::strdup(leader->c_str()) : nullptr;
    });
}
conclave_mandate* conclave_campaign(conclave_node* node, const char* group, int64_t wait,
                                    char** error) {
    return conclave::without_throwing(error, [&]() -> conclave_mandate* {
        conclave::Group joined = node->node.join(group);
        conclave::Mandate mandate =
            wait < 0 ? joined.campaign() : joined.campaign_for(std::chrono::nanoseconds(wait));
        return mandate.epoch() > 0 ? new conclave_mandate{std::move(mandate)} : nullptr;
    });
}
bool conclave_mandate_is_held(const conclave_mandate* mandate) { return mandate->mandate.held(); }
int64_t conclave_mandate_remaining(const conclave_mandate* mandate) {
    return mandate->mandate.remaining().count();
}
uint64_t conclave_mandate_epoch(const conclave_mandate* mandate) {
    return mandate->mandate.epoch();
}
void conclave_resign(conclave_mandate* mandate) { delete mandate; }
