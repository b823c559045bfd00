// cli/cert.h -- `conclave cert`: a development CA, and certificates for nodes and operators.
//
// A folder holds ca.crt, ca.key and NAME.crt, NAME.key for each name. What is there is never
// overwritten unless asked for.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/exit.h"
#include "cli/terminal.h"

namespace conclave {

struct CertInitOptions {
    std::string folder = "certs";  // made if it is not there
    std::string name = "conclave development CA";
    std::uint32_t days = 3650;
    bool force = false;
};
Exit run_cert_init(const Terminal& terminal, const CertInitOptions& options);

struct CertIssueOptions {
    std::vector<std::string> names;
    std::string folder = "certs";
    std::vector<std::string> hosts;  // of every name
    bool client = false;             // an operator, not a node
    std::uint32_t days = 365;
    bool force = false;
};
Exit run_cert_issue(const Terminal& terminal, const CertIssueOptions& options);

struct CertShowOptions {
    std::vector<std::string> files;
};
Exit run_cert_show(const Terminal& terminal, const CertShowOptions& options);

}  // namespace conclave
