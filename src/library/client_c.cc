// library/client_c.cc -- the part of conclave.h that needs no node.
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "conclave/client.hpp"
#include "conclave/conclave.h"
#include "library/c_words.h"

struct conclave_client {
    conclave::Client client;
};
struct conclave_held {
    conclave::Held held;
};

namespace {

conclave_held* give(std::optional<conclave::Held> held) {
    return held ? new conclave_held{std::move(*held)} : nullptr;
}

}  // namespace

void conclave_free(char* text) { std::free(text); }

conclave_client* conclave_connect(const char* endpoints, char** error) {
    return conclave::without_throwing(error, [&] {
        conclave::ClientOptions options;
        options.endpoints.clear();
        std::istringstream list(endpoints);
        for (std::string one; std::getline(list, one, ',');) options.endpoints.push_back(one);
        return new conclave_client{conclave::Client(std::move(options))};
    });
}
void conclave_disconnect(conclave_client* client) { delete client; }

conclave_held* conclave_try_lock(conclave_client* client, const char* name, char** error) {
    return conclave::without_throwing(error,
                                      [&] { return give(client->client.lock(name).try_lock()); });
}
conclave_held* conclave_lock(conclave_client* client, const char* name, int64_t wait,
                             char** error) {
    return conclave::without_throwing(error, [&] {
        conclave::Lock lock = client->client.lock(name);
        return give(wait < 0 ? lock.lock() : lock.lock_for(std::chrono::nanoseconds(wait)));
    });
}
bool conclave_is_held(const conclave_held* held) { return held->held.held(); }
int64_t conclave_remaining(const conclave_held* held) { return held->held.remaining().count(); }
conclave_token conclave_token_of(const conclave_held* held) {
    const conclave::FencingToken token = held->held.token();
    return {token.epoch, token.number};
}
void conclave_unlock(conclave_held* held) { delete held; }
