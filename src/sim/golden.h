// sim/golden.h -- for tests: a text must equal the one kept in sim/golden/.
//
// With CONCLAVE_REWRITE=1 in the environment the kept text is replaced; the reviewer reads the
// diff.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace conclave {

inline void expect_golden(const std::string& name, const std::string& text) {
    const auto file = std::filesystem::path(CONCLAVE_SOURCE_DIR) / "src" / "sim" / "golden" / name;
    const char* rewrite = std::getenv("CONCLAVE_REWRITE");
    if (rewrite != nullptr && std::string(rewrite) == "1") {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream out(file, std::ios::binary);
        out << text;
        out.close();
        ASSERT_TRUE(out.good()) << "cannot write " << file;
        return;
    }
    std::ifstream in(file, std::ios::binary);
    ASSERT_TRUE(in.good()) << "cannot read " << file << "; CONCLAVE_REWRITE=1 writes it";
    const std::string kept{std::istreambuf_iterator<char>(in), {}};
    // The texts are long: say that they differ, and let the file tool show where.
    EXPECT_TRUE(kept == text) << name << " has changed; CONCLAVE_REWRITE=1, then read the diff";
}

}  // namespace conclave
