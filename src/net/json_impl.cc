// net/json_impl.cc -- Boost.JSON, compiled once.
#include <boost/json/src.hpp>
