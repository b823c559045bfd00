// cli/fence_test.cc -- `conclave fence` as a script types it.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "cli/run_test.h"

namespace conclave {
namespace {

class Fence : public Command {
protected:
    std::string file() const { return (folder / "fence").string(); }
    Ran check(const std::string& token, const std::string& more = "") const {
        return run("fence check --file " + file() + " --token " + token + more);
    }
};

TEST_F(Fence, RefusesAWriterThatComesLate) {
    EXPECT_EQ(check("42.7").out, "42.7 admitted\n");
    EXPECT_EQ(check("42.8", " -q").out, "");
    const Ran late = check("42.7");
    EXPECT_EQ(late.exit, 77);
    EXPECT_EQ(late.err, "conclave: 42.7 is refused: 42.8 was here before\n");
    const auto json = check("43", " -o json").json().as_object();
    EXPECT_TRUE(json.at("admitted").as_bool());
    EXPECT_EQ(json.at("largest_before").as_string(), "42.8");
}

TEST_F(Fence, SaysWhatIsWrong) {
    EXPECT_EQ(check("seven").exit, 64);
    EXPECT_EQ(check("seven").err, "conclave: --token seven: not of the form 42.7\n");
    EXPECT_EQ(run("fence check --token 1").exit, 64);
    std::ofstream(file()) << "something else\n";
    const Ran broken = check("1");
    EXPECT_EQ(broken.exit, 74);
    EXPECT_EQ(broken.err, "conclave: " + file() + ": holds no token, and is left as it is\n");
}

}  // namespace
}  // namespace conclave
