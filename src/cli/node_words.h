// cli/node_words.h -- the words of the commands that run a node or talk to one.
#pragma once
#include <optional>
#include <string>

#include "cli/ask.h"
#include "cli/cert.h"
#include "cli/completion.h"
#include "cli/deeds.h"
#include "cli/fence.h"
#include "cli/lead.h"
#include "cli/lock.h"
#include "cli/node.h"
#include "cli/up.h"
#include "cli/watchers.h"

namespace CLI {
class App;
}

namespace conclave {

struct NodeWords {  // what was typed
    Endpoint endpoint;
    NodeOptions node;
    UpOptions up;
    LeaderOptions leader;
    WatchOptions watch;
    ExplainOptions explain;
    HandOverOptions hand_over;
    ReleaseOptions release;
    MemberOptions member;
    LeadOptions lead;
    LockOptions lock;
    std::string alive, shell;
    CertInitOptions cert_init;
    CertIssueOptions cert_issue;
    CertShowOptions cert_show;
    FenceOptions fence;
};

void add_node_words(CLI::App& app, NodeWords& words);
// Nothing: it was another command.
std::optional<Exit> obey_node_words(const CLI::App& app, const Terminal& terminal,
                                    const NodeWords& words);

}  // namespace conclave
