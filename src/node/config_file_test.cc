#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "node/config_sample_test.h"

namespace conclave::node {

namespace {

using testing::EndsWith;
using testing::HasSubstr;

struct Folder {
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "config.XXXXXX").string();
        EXPECT_NE(mkdtemp(name.data()), nullptr);
        path = name;
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { std::filesystem::remove_all(path); }

    Path write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name, std::ios::binary) << text;
        return path / name;
    }
    Path path;
};

std::string only_error(const Path& file) {
    const Loaded loaded = load_config(file, {}, all_known);
    EXPECT_FALSE(loaded.config);
    EXPECT_EQ(loaded.errors.size(), 1u);
    return loaded.errors.empty() ? "" : to_text(loaded.errors[0]);
}

}  // namespace

TEST(ConfigFile, AFileThatCannotBeReadIsNamed) {
    const Folder folder;
    const Path missing = folder.path / "none.toml";
    EXPECT_EQ(only_error(missing), missing.string() + ": there is no such file");
    EXPECT_EQ(only_error(folder.path), folder.path.string() + ": is a directory, not a file");
    EXPECT_EQ(only_error("/dev/null"), "/dev/null: is not a regular file");
    const Path large = folder.write("large.toml", std::string((1 << 20) + 1, '\n'));
    EXPECT_EQ(only_error(large), large.string() + ": has more than 1 MiB");
    const Path binary = folder.write("binary.toml", std::string("\x7f"
                                                                "ELF\0\xff",
                                                                6));
    EXPECT_THAT(only_error(binary), HasSubstr("binary.toml:1:"));
    const Path wide = folder.write("wide.toml", "\n" + std::string(5000, '#'));
    EXPECT_EQ(only_error(wide), wide.string() + ":2:1: a line has at most 4096 bytes");
}

TEST(ConfigFile, AFileWithoutPermissionSaysSo) {
    if (geteuid() == 0) GTEST_SKIP() << "the administrator may read everything";
    const Folder folder;
    const Path secret = folder.write("secret.toml", sample);
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    EXPECT_THAT(only_error(secret), EndsWith("cannot be read: Permission denied"));
}

TEST(ConfigFile, AGoodFileIsReadFromDisk) {
    const Folder folder;
    const Path file = folder.write("conclave.toml", sample);
    const Loaded loaded = load_config(file, {}, all_known);
    ASSERT_TRUE(loaded.config) << testing::PrintToString(texts(loaded.errors));
    EXPECT_EQ(loaded.config->peer.tls.ca, folder.path / "ca.crt");
}

}  // namespace conclave::node
