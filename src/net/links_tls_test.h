// net/links_tls_test.h -- an authority of the test's own, and strangers with whatever it issues.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "net/certificates.h"
#include "net/links_test.h"
#include "net/pem_files.h"
#include "wire/packets.h"

namespace conclave::net {

namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;

struct Authority {
    Authority(const fs::path& folder, const std::string& name) : directory(folder / name) {
        fs::create_directory(directory);
        auto made = make_ca(name, lasting(std::chrono::days(30)));
        EXPECT_TRUE(made);
        pem = std::move(*made);
        store(name, pem);
        certificate = pem_files(directory, name).certificate;
    }
    void store(const std::string& name, const Pem& pair) const {
        const auto error = save(pair, pem_files(directory, name), Existing::replace);
        EXPECT_FALSE(error) << error->what;
    }
    TlsFiles issue_files(const std::string& name, Usage usage = Usage::node,
                         Validity validity = lasting(std::chrono::days(10))) const {
        const auto issued = issue(pem, {name, {}, validity, usage});
        EXPECT_TRUE(issued) << issued.error().what;
        store(name, *issued);
        const PemFiles files = pem_files(directory, name);
        return {certificate, files.certificate, files.key};
    }

    fs::path directory, certificate;
    Pem pem;
};

// Somebody with any certificate, or none, who says hello as he likes.
class TlsStranger {
public:
    TlsStranger(TestLoop& loop, const std::optional<TlsFiles>& files,
                ssl::context::method method = ssl::context::tls)
        : loop_(loop), context_(method), stream_(loop, prepare(files)) {}

    void visit(std::uint16_t port, const wire::Hello& hello) {
        ASSERT_FALSE(wire::append_hello(hello_, hello));
        stream_.next_layer().connect({boost::asio::ip::address_v4::loopback(), port});
        stream_.async_handshake(ssl::stream_base::client, [this](const auto& failure) {
            if (failure) return hear(failure);
            boost::asio::async_write(stream_, boost::asio::buffer(hello_),
                                     [](const auto&, std::size_t) {});
            listen();
        });
    }
    [[nodiscard]] bool shut_out() {
        return loop_.until([this] { return over_; });
    }
    // Not as a record.
    void garble(std::string_view bytes) {
        stream_.next_layer().write_some(boost::asio::buffer(bytes.data(), bytes.size()));
    }

    std::string answer, error;

private:
    ssl::context& prepare(const std::optional<TlsFiles>& files) {
        if (files) {
            context_.use_certificate_chain_file(files->cert);
            context_.use_private_key_file(files->key, ssl::context::pem);
        }
        return context_;
    }
    void listen() {
        stream_.async_read_some(boost::asio::buffer(buffer_),
                                [this](const auto& failure, std::size_t size) {
                                    answer.append(buffer_.data(), size);
                                    failure ? hear(failure) : listen();
                                });
    }
    void hear(const boost::system::error_code& failure) {
        error = failure.message();
        over_ = true;
    }

    TestLoop& loop_;
    ssl::context context_;
    ssl::stream<tcp::socket> stream_;
    Bytes hello_;
    std::array<char, 4096> buffer_;
    bool over_ = false;
};

}  // namespace conclave::net
