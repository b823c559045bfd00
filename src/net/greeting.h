// net/greeting.h -- whether somebody who says hello is who we expect, and if not, why not.
#pragma once
#include <optional>
#include <string>

#include "net/peer.h"
#include "net/tls.h"
#include "wire/packets.h"

namespace conclave::net {

// What is wrong with a hello as such, with the certificate that came with it (none: plaintext), and
// with the peer it claims to be (null: we know none of that id). The text is for both ends: it goes
// into our log and, as a bye, into theirs. Which incarnation is stale, and who may dial, is not
// asked here.
std::optional<std::string> refuse(const wire::Hello& ours, const wire::Hello& theirs,
                                  const Peer* claimed,
                                  const std::optional<Certificate>& certificate);

}  // namespace conclave::net
