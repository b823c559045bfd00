// cli/cert.cc -- makes certificates, and says what they say.
#include "cli/cert.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "net/certificates.h"
#include "net/pem_files.h"
#include "node/time_text.h"

namespace conclave {

namespace {

constexpr const char* ca_name = "ca";  // a file's, so no node's
constexpr std::uint32_t days_max = 36500;

struct Shown {
    std::string file, key;  // the key's file where it was made just now
    net::Description about;
};

std::chrono::sys_seconds wall_clock() {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

std::string usage_text(const net::Description& about) {
    if (about.authority) return "CA";
    if (about.server) return about.client ? "node" : "server";
    return about.client ? "operator" : "none";
}

std::string left_text(const Terminal& terminal, const net::Validity& validity) {
    const auto left = net::days_left(validity, wall_clock()).count();
    if (wall_clock() < validity.from) return terminal.bad("not yet valid");
    if (wall_clock() >= validity.until) return terminal.bad("over");
    return std::to_string(left) + (left == 1 ? " day left" : " days left");
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text.empty() ? "none" : text;
}

boost::json::object as_json(const Shown& one) {
    const net::Description& about = one.about;
    boost::json::object object{
        {"file", one.file},
        {"subject", about.subject},
        {"issuer", about.issuer},
        {"name", about.name},
        {"hosts", boost::json::array(about.hosts.begin(), about.hosts.end())},
        {"usage", usage_text(about)},
        {"not_before", node::time_text(about.validity.from)},
        {"not_after", node::time_text(about.validity.until)},
        {"days_left", net::days_left(about.validity, wall_clock()).count()},
        {"serial", about.serial},
        {"fingerprint", about.fingerprint},
    };
    if (!one.key.empty()) object["key"] = one.key;
    return object;
}

void print_json(const Terminal& terminal, const std::vector<Shown>& all) {
    boost::json::array array;
    for (const Shown& one : all) array.push_back(as_json(one));
    if (terminal.format == Format::json) {
        std::puts(boost::json::serialize(array).c_str());
        return;
    }
    for (const auto& one : array) std::puts(boost::json::serialize(one).c_str());
}

void print_whole(const Terminal& terminal, const Shown& one) {
    const net::Description& about = one.about;
    const auto line = [&](std::string_view head, const std::string& what) {
        std::printf("%s  %s\n", terminal.bold(head).c_str(), what.c_str());
    };
    std::printf("%s\n", terminal.bold(one.file).c_str());
    line("subject    ", about.subject);
    line("hosts      ", joined(about.hosts));
    line("issuer     ", about.issuer);
    line("usage      ", usage_text(about));
    line("not before ", node::time_text(about.validity.from));
    line("not after  ",
         node::time_text(about.validity.until) + " (" + left_text(terminal, about.validity) + ")");
    line("serial     ", about.serial);
    line("fingerprint", about.fingerprint);
}

// What was made: a line each, for it is `show` that tells all.
void print_made(const Terminal& terminal, const std::vector<Shown>& all) {
    if (terminal.quiet) return;
    if (terminal.format != Format::text) return print_json(terminal, all);
    for (const Shown& one : all) {
        std::printf("%s  %s until %s, key in %s\n", terminal.bold(one.file).c_str(),
                    usage_text(one.about).c_str(),
                    node::time_text(one.about.validity.until).c_str(), one.key.c_str());
    }
}

Exit refuse(Exit exit, const Error& error) {
    complain(error.what);
    return exit;
}

// Nothing, or the exit of a refusal.
std::optional<Exit> save(const net::Pem& pem, const net::PemFiles& files, bool force) {
    std::error_code unknown;
    const bool in_the_way = std::filesystem::exists(files.certificate, unknown) ||
                            std::filesystem::exists(files.key, unknown);
    const auto failed = net::save(pem, files, force ? net::Existing::replace : net::Existing::keep);
    if (!failed) return std::nullopt;
    const bool helps = in_the_way && !force;
    return refuse(Exit::files, {failed->what + (helps ? " (--force replaces it)" : "")});
}

std::optional<net::Validity> validity_of(std::uint32_t days) {
    if (days >= 1 && days <= days_max) return net::lasting(std::chrono::days(days));
    complain("--days must be 1 to " + std::to_string(days_max) + ", not " + std::to_string(days));
    return std::nullopt;
}

}  // namespace

Exit run_cert_init(const Terminal& terminal, const CertInitOptions& options) {
    const auto validity = validity_of(options.days);
    if (!validity) return Exit::usage;
    const auto ca = net::make_ca(options.name, *validity);
    if (!ca) return refuse(Exit::usage, ca.error());
    std::error_code failed;
    std::filesystem::create_directories(options.folder, failed);
    if (failed) {
        return refuse(Exit::files, {"cannot make " + options.folder + ": " + failed.message()});
    }
    const net::PemFiles files = net::pem_files(options.folder, ca_name);
    if (const auto refused = save(*ca, files, options.force)) return *refused;
    print_made(terminal, {{files.certificate, files.key, *net::describe(ca->certificate)}});
    return Exit::ok;
}

Exit run_cert_issue(const Terminal& terminal, const CertIssueOptions& options) {
    const auto validity = validity_of(options.days);
    if (!validity) return Exit::usage;
    const auto ca = net::load(net::pem_files(options.folder, ca_name));
    if (!ca) {
        return refuse(Exit::files, {ca.error().what + " (`conclave cert init` makes a CA)"});
    }
    // All before the first is written: a name that is refused leaves no half of a cluster behind.
    std::vector<net::Pem> made;
    for (const std::string& name : options.names) {
        if (name == ca_name) return refuse(Exit::usage, {"'ca' is the CA's own name"});
        auto pem =
            net::issue(*ca, {.name = name,
                             .hosts = options.hosts,
                             .validity = *validity,
                             .usage = options.client ? net::Usage::client : net::Usage::node});
        if (!pem) return refuse(Exit::usage, pem.error());
        made.push_back(std::move(*pem));
    }
    std::vector<Shown> all;
    Exit exit = Exit::ok;
    for (std::size_t i = 0; i < made.size(); ++i) {
        const net::PemFiles files = net::pem_files(options.folder, options.names[i]);
        if (const auto refused = save(made[i], files, options.force)) {
            exit = *refused;
            break;
        }
        all.push_back({files.certificate, files.key, *net::describe(made[i].certificate)});
    }
    print_made(terminal, all);
    return exit;
}

Exit run_cert_show(const Terminal& terminal, const CertShowOptions& options) {
    std::vector<Shown> all;
    Exit exit = Exit::ok;
    for (const std::string& file : options.files) {
        const auto text = net::read_pem(file);
        if (!text) {
            exit = refuse(Exit::files, text.error());
            continue;
        }
        const auto found = net::describe_all(*text);
        if (!found) {
            exit = refuse(Exit::files, {"cannot read " + file + ": " + found.error().what});
            continue;
        }
        for (const net::Description& about : *found) all.push_back({file, "", about});
    }
    if (terminal.format != Format::text) {
        print_json(terminal, all);
        return exit;
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0) std::puts("");
        print_whole(terminal, all[i]);
    }
    return exit;
}

}  // namespace conclave
