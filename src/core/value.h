// core/value.h -- everything a plain struct gets from its fields.
//
//     fields.h   fields, for_each_field, for_each_leaf, the concept Value
//     hash.h     equal, hash_value
//     names.h    name_of, name_of_value
//     print.h    print, to_text
//     bytes.h    encode, decode
//
// A value is made of: bool, integers, enumerations with a fixed underlying type, double, Duration,
// Instant, Counter, std::string, NodeSet; std::optional, variant, monostate, pair, array, vector,
// Small and Table of values; and aggregates of values.
#pragma once
#include "core/bytes.h"
#include "core/fields.h"
#include "core/hash.h"
#include "core/names.h"
#include "core/print.h"
