// cli/run_test.h -- runs the command as a person types it, in a folder of its own.
#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace conclave {

struct Ran {
    int exit = -1;
    std::string out, err;
    boost::json::value json() const { return boost::json::parse(out); }
};

inline std::string slurp(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// A folder of this test's own, gone with it.
class Command : public testing::Test {
protected:
    Command() {
        std::string pattern = (std::filesystem::temp_directory_path() / "conclave-XXXXXX").string();
        folder = mkdtemp(pattern.data());
    }
    ~Command() override { std::filesystem::remove_all(folder); }

    // `under` is another command that runs it, such as "timeout 60".
    Ran run(const std::string& arguments, const std::string& under = "") const {
        const auto out = folder / "out", err = folder / "err";
        std::string line = under + " " CONCLAVE_BINARY " ";
        line += arguments;
        line.append(" >").append(out.string());
        line.append(" 2>").append(err.string()).append(" </dev/null");
        const int status = std::system(line.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(out), slurp(err)};
    }

    std::filesystem::path folder;
};

}  // namespace conclave
