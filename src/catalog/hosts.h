// catalog/hosts.h -- every algorithm that a node can run, by its name; the table is generated.
#pragma once
#include <memory>
#include <span>
#include <string_view>

namespace conclave {

namespace node {
class Host;
}
using node::Host;

struct HostEntry {
    std::string_view name;
    std::unique_ptr<Host> (*make)();
};
std::span<const HostEntry> hosts();

}  // namespace conclave
