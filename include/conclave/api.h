// conclave/api.h -- marks what the shared libraries export; everything else in them is hidden.
#pragma once

#define CONCLAVE_API __attribute__((visibility("default")))
#define CONCLAVE_LOCAL __attribute__((visibility("hidden")))  // inside of an exported class
