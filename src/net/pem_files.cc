// net/pem_files.cc -- reads and writes certificates and keys.
#include "net/pem_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace conclave::net {

namespace {

constexpr std::size_t size_max = 1 << 20;  // a bundle of all public CAs is a fifth of it
constexpr mode_t for_owner = 0600, for_all = 0644;

Error failure(std::string_view verb, const std::filesystem::path& path) {
    const int reason = errno;
    return {"cannot " + std::string(verb) + " " + path.string() + ": " + std::strerror(reason)};
}

class File {
public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int get() const { return descriptor_; }
    bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

private:
    int descriptor_;
};

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

// rename() would replace what appeared in the meantime; link() refuses.
bool move_into_place(const std::string& from, const std::string& to, Existing existing) {
    if (existing == Existing::replace) return ::rename(from.c_str(), to.c_str()) == 0;
    return ::link(from.c_str(), to.c_str()) == 0;
}

std::optional<Error> save_one(std::string_view text, const std::filesystem::path& path, mode_t mode,
                              Existing existing) {
    std::string beside = path.string() + ".XXXXXX";
    File file(::mkostemp(beside.data(), O_CLOEXEC));  // 0600, whatever the umask
    if (file.get() < 0) return failure("write", path);
    const bool moved = write_all(file.get(), text) && ::fchmod(file.get(), mode) == 0 &&
                       ::fsync(file.get()) == 0 && file.close() &&
                       move_into_place(beside, path.string(), existing);
    std::optional<Error> failed;
    if (!moved) failed = failure("write", path);
    ::unlink(beside.c_str());  // gone already if it was renamed
    return failed;
}

}  // namespace

PemFiles pem_files(const std::filesystem::path& folder, std::string_view name) {
    return {folder / (std::string(name) + ".crt"), folder / (std::string(name) + ".key")};
}

std::optional<Error> save(const Pem& pem, const PemFiles& files, Existing existing) {
    if (existing == Existing::keep) {
        for (const auto& path : {files.key, files.certificate}) {
            std::error_code ignored;
            const auto status = std::filesystem::symlink_status(path, ignored);
            if (std::filesystem::exists(status)) return Error{path.string() + " is already there"};
        }
    }
    if (auto failed = save_one(pem.key, files.key, for_owner, existing)) return failed;
    auto failed = save_one(pem.certificate, files.certificate, for_all, existing);
    if (failed && existing == Existing::keep) ::unlink(files.key.c_str());
    return failed;
}

Result<std::string> read_pem(const std::filesystem::path& path) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return failure("read", path);
    std::string text;
    std::array<char, 16384> chunk{};
    while (true) {
        const ssize_t size = ::read(file.get(), chunk.data(), chunk.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return failure("read", path);
        if (size == 0) return text;
        text.append(chunk.data(), static_cast<std::size_t>(size));
        if (text.size() > size_max) {
            return Error{"cannot read " + path.string() + ": too large for certificates"};
        }
    }
}

Result<Pem> load(const PemFiles& files) {
    auto certificate = read_pem(files.certificate);
    if (!certificate) return certificate.error();
    auto key = read_pem(files.key);
    if (!key) return key.error();
    return Pem{std::move(*certificate), std::move(*key)};
}

}  // namespace conclave::net
