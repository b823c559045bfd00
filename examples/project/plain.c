/* plain ENDPOINT CONFIG -- a lock of a cluster, and a node in this process that leads, in C. */
#include <conclave/conclave.h>
#include <inttypes.h>
#include <stdio.h>

static const int64_t patience = INT64_C(30000000000);

static int complain(const char* what, char* error) {
    fprintf(stderr, "%s: %s\n", what, error ? error : "not in time");
    conclave_free(error);
    return 1;
}

static int work_under_a_lock(const char* endpoint) {
    char* error = NULL;
    conclave_client* client = conclave_connect(endpoint, &error);
    if (!client) return complain("connect", error);
    conclave_held* held = conclave_lock(client, "plain", patience, &error);
    if (!held) return complain("lock", error);
    const conclave_token token = conclave_token_of(held);
    if (conclave_is_held(held)) {
        printf("held with token %" PRIu64 ".%" PRIu64 "\n", token.epoch, token.number);
    }
    conclave_unlock(held);
    conclave_disconnect(client);
    return 0;
}

static int work_as_leader(const char* config) {
    char* error = NULL;
    conclave_node* node = conclave_start(config, &error);
    if (!node) return complain("start", error);
    conclave_mandate* mandate = conclave_campaign(node, "work", patience, &error);
    if (!mandate) return complain("campaign", error);
    char* leader = conclave_leader(node, "work", &error);
    if (conclave_mandate_is_held(mandate)) {
        printf("%s leads in epoch %" PRIu64 "\n", leader, conclave_mandate_epoch(mandate));
    }
    conclave_free(leader);
    conclave_resign(mandate);
    conclave_stop(node);
    return 0;
}

int main(int count, char** arguments) {
    if (count != 3) return 64;
    return work_under_a_lock(arguments[1]) || work_as_leader(arguments[2]);
}
