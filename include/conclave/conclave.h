// conclave/conclave.h -- locks and leadership for C, and for languages that can call C.
//
// The same as client.hpp (link with conclave_client) and conclave.hpp (link with conclave), which
// say more. Handles are opaque, each is given back once, and NULL may be given back. Everything may
// be used from several threads, but not a handle that is being given back. Times are nanoseconds; a
// negative wait has no end. What can go wrong returns NULL and leaves a text in `*error`, unless
// `error` is NULL; conclave_free gives the text back. Waiting in vain is not an error: the text is
// NULL then.
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "conclave/api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct conclave_client conclave_client;
typedef struct conclave_held conclave_held;
typedef struct conclave_node conclave_node;
typedef struct conclave_mandate conclave_mandate;

typedef struct conclave_token {  // compare the epoch first
    uint64_t epoch, number;
} conclave_token;

CONCLAVE_API void conclave_free(char* text);

// A process that is no member. Endpoints are separated by commas: "unix:/run/conclave/api.sock".
CONCLAVE_API conclave_client* conclave_connect(const char* endpoints, char** error);
CONCLAVE_API void conclave_disconnect(conclave_client* client);  // what it holds is lost
CONCLAVE_API conclave_held* conclave_try_lock(conclave_client* client, const char* name,
                                              char** error);
CONCLAVE_API conclave_held* conclave_lock(conclave_client* client, const char* name, int64_t wait,
                                          char** error);
CONCLAVE_API bool conclave_is_held(const conclave_held* held);
CONCLAVE_API int64_t conclave_remaining(const conclave_held* held);  // 0: not held
CONCLAVE_API conclave_token conclave_token_of(const conclave_held* held);
CONCLAVE_API void conclave_unlock(conclave_held* held);

// A node inside this process, as its configuration file says.
CONCLAVE_API conclave_node* conclave_start(const char* file, char** error);
CONCLAVE_API void conclave_stop(conclave_node* node);  // what it leads is handed over
CONCLAVE_API char* conclave_leader(conclave_node* node, const char* group, char** error);
CONCLAVE_API conclave_mandate* conclave_campaign(conclave_node* node, const char* group,
                                                 int64_t wait, char** error);
CONCLAVE_API bool conclave_mandate_is_held(const conclave_mandate* mandate);
CONCLAVE_API int64_t conclave_mandate_remaining(const conclave_mandate* mandate);
CONCLAVE_API uint64_t conclave_mandate_epoch(const conclave_mandate* mandate);
CONCLAVE_API void conclave_resign(conclave_mandate* mandate);

#ifdef __cplusplus
}
#endif
