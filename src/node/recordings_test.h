// node/recordings_test.h -- recordings in a folder of the test's own, and how tests read them.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "net/log.h"
#include "sim/recorded.h"

namespace conclave::node {

struct LogLines final : LogSink {
    using LogSink::log;
    void log(Level, std::string_view event, std::span<const LogField> fields) override {
        std::string line(event);
        for (const LogField& field : fields) line += " " + field.value;
        lines.push_back(line);
    }
    std::vector<std::string> lines;
};

inline std::vector<RecordingFile> read_all(const std::vector<std::filesystem::path>& folders) {
    std::vector<std::filesystem::path> paths;
    for (const auto& folder : folders) {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            paths.push_back(entry.path());
        }
    }
    std::ranges::sort(paths);
    std::vector<RecordingFile> files;
    for (const auto& path : paths) {
        std::ifstream stream(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        const auto bytes = std::as_bytes(std::span(text));
        auto file = read_recording_file(path.string(), Bytes(bytes.begin(), bytes.end()));
        EXPECT_TRUE(file) << (file ? "" : file.error().what);
        if (file) files.push_back(std::move(*file));
    }
    return files;
}

class RecordingFolder : public testing::Test {
protected:
    RecordingFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "conclave-XXXXXX").string();
        folder = ::mkdtemp(pattern.data());
    }
    ~RecordingFolder() override { std::filesystem::remove_all(folder); }

    std::filesystem::path folder;
};

}  // namespace conclave::node
