// net/greeting.cc -- every reason names both nodes, because both of them will log it.
#include "net/greeting.h"

namespace conclave::net {
namespace {

std::string node(NodeId id) { return "node " + std::to_string(number(id)); }

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list.empty() ? "nobody" : list;
}

}  // namespace

std::optional<std::string> refuse(const wire::Hello& ours, const wire::Hello& theirs,
                                  const Peer* claimed,
                                  const std::optional<Certificate>& certificate) {
    // Additive changes need no new version, so another one is always one we cannot talk to.
    if (theirs.version != ours.version)
        return theirs.name + " speaks version " + std::to_string(theirs.version) + ", " +
               ours.name + " speaks version " + std::to_string(ours.version);
    if (theirs.cluster != ours.cluster)
        return theirs.name + " belongs to cluster \"" + theirs.cluster + "\", " + ours.name +
               " to \"" + ours.cluster + "\"";
    if (theirs.node == ours.node)
        return theirs.name + " has the id of " + ours.name + ", " + node(ours.node);
    if (!claimed) return node(theirs.node) + " is not among the peers of " + ours.name;
    if (theirs.name != claimed->name)
        return node(theirs.node) + " is called " + theirs.name + ", but " + ours.name +
               " knows it as " + claimed->name;
    if (certificate && !certificate->is_for(theirs.name))
        return "the certificate of " + theirs.name + " is for " + listed(certificate->names);
    return std::nullopt;
}

}  // namespace conclave::net
