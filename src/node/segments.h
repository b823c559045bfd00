// node/segments.h -- the files of a recording: a bounded number of bytes, of which the oldest go.
//
//     DIR/n1-00000003-00000012.rec      node, life, segment: by name they are in the order of time
//
// Each file takes at most a fifth of the room, or hardly more, and with the one that is begun there
// are never more than four fifths: what is written last always fits.
#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/leaf_bytes.h"
#include "core/result.h"
#include "core/types.h"

namespace conclave::node {

class Segments {
public:
    // `name`: of the node; whatever else is in the folder is left alone.
    Segments(std::filesystem::path folder, std::string name, std::uint64_t bytes);

    static std::uint64_t limit(std::uint64_t bytes) { return bytes / 5; }  // of one file

    [[nodiscard]] std::optional<Error> begin(Incarnation life, std::uint64_t segment);
    [[nodiscard]] std::optional<Error> append(ByteView bytes);

private:
    void drop_oldest();

    std::filesystem::path folder_;
    std::string name_;
    std::uint64_t bytes_;
    std::filesystem::path path_;
    std::ofstream file_;
};

}  // namespace conclave::node
