#include "node/config_sample_test.h"

namespace conclave::node {

using namespace std::chrono_literals;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(ConfigPrint, WhatIsPrintedReadsBackAsTheSame) {
    const std::string small =
        "cluster.name = \"c\"\napi.listen = []\n[node]\nid = 7\nname = \"n\"\n"
        "state_dir = 'a \"quoted\" \\ place'\n";
    for (const std::string& text :
         {sample, small, small + "[groups.g]\nattribute = \"disk\"\n",
          sample_with("plan = \"command:/usr/lib/plan\"", "plan = \"application\""),
          sample_with("[api]\nlisten = [\"unix:/run/conclave/api.sock\", \"127.0.0.1:7421\"]",
                      "")}) {
        const Loaded first = parsed(text);
        ASSERT_TRUE(first.config) << testing::PrintToString(texts(first.errors));
        const std::string printed = print_effective(*first.config);
        const Loaded again = parse_config(printed, "/elsewhere/x.toml", {}, all_known);
        ASSERT_TRUE(again.config) << testing::PrintToString(texts(again.errors)) << printed;
        EXPECT_EQ(*again.config, *first.config) << printed;
    }
}

TEST(ConfigPrint, EveryLineSaysWhereItCameFrom) {
    const Overrides overrides{.environment = {{"CONCLAVE_NODE_ID", "4"}},
                              .flags = {"groups.billing.lease=400ms"}};
    const std::string printed = print_effective(parsed(sample, overrides).config.value());
    EXPECT_THAT(printed, ContainsRegex("\nid = 4 +# environment CONCLAVE_NODE_ID\n"));
    EXPECT_THAT(printed, ContainsRegex("\nlease = \"400ms\" +# flag --set\n"));
    EXPECT_THAT(printed, ContainsRegex("\nname = \"n1\" +# /etc/conclave/conclave.toml:7\n"));
    EXPECT_THAT(printed, ContainsRegex("\nlease = \"200ms\" +# default\n"));
    EXPECT_THAT(printed, HasSubstr("\n[[peers]]\n"));
    EXPECT_THAT(printed, HasSubstr("\n[peer.tls]\n"));
}

TEST(ConfigPrint, TheDetectorsNumbersAreShownWhereTheyFollowFromTheGoal) {
    EXPECT_THAT(print_effective(parsed(sample).config.value()), Not(HasSubstr("follows from")));
    const std::string text =
        sample_with("detect_within = \"400ms\"\nperiod = \"90ms\"\nmargin = \"300ms\"\n",
                    "detect_within = \"600ms\"\n");
    const std::string printed = print_effective(parsed(text).config.value());
    EXPECT_THAT(printed, ContainsRegex("\n# period = \"200ms\" +# follows from detect_within\n"));
    EXPECT_THAT(printed, ContainsRegex("\n# margin = \"400ms\" +# follows from detect_within\n"));
}

TEST(ConfigPrint, WithoutAFolderItSaysThatNothingIsRecorded) {
    EXPECT_THAT(print_effective(parsed(sample).config.value()),
                ContainsRegex("\ndir = \"/etc/conclave/record\" +# .*:[0-9]+\n"));
    const std::string text = sample_with("dir = \"record\"\nbytes = 10000000\n", "");
    EXPECT_THAT(print_effective(parsed(text).config.value()),
                ContainsRegex("\n# dir = \"\" +# nothing is recorded\n"));
}

TEST(ConfigPrint, WhatFollowsFromAMutexStandsAboveIt) {
    const auto words = [](const Mutex& mutex, const Config&) {
        return std::vector<std::string>{mutex.algorithm + " breaks", "if a member dies"};
    };
    EXPECT_THAT(print_effective(parsed(sample).config.value(), {}, words),
                HasSubstr("[mutex.press]\n# maekawa breaks\n# if a member dies\n"));
}

TEST(ConfigPrint, TheFailoverBoundStandsAboveItsGroup) {
    const auto bound = [](const Group& group, const Config&) {
        return group.name == "billing" ? std::optional<Duration>(612ms) : std::nullopt;
    };
    const std::string printed = print_effective(parsed(sample).config.value(), bound);
    EXPECT_THAT(printed, HasSubstr("[groups.billing]\n# after a crash there is a leader again "
                                   "within 612ms\n"));
    EXPECT_THAT(printed, HasSubstr("[groups.archive]\n# how long it takes until there is a leader "
                                   "again has no bound\n"));
}

}  // namespace conclave::node
