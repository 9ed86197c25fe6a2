#include "isolation/landlock.h"

#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace isolation {
namespace {

// From the kernel's landlock.h; distributions' headers are older than their kernels.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_dir = 1 << 3;
constexpr uint64_t truncate_file = 1 << 14, ioctl_device = 1 << 15;
constexpr uint64_t of_files = execute | write_file | read_file | truncate_file | ioctl_device;

struct Ruleset {
    uint64_t files, net, scoped;
};
struct __attribute__((packed)) PathBeneath {
    uint64_t allowed;
    int32_t parent;
};

uint64_t file_rights(int version) {
    const int bits = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;
    return (uint64_t{1} << bits) - 1;
}

// Files that do not exist cannot be touched either.
bool allow(int ruleset, const std::filesystem::path& path, uint64_t rights) {
    const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR || errno == EACCES;
    struct stat status {};
    fstat(fd, &status);
    const PathBeneath rule{S_ISDIR(status.st_mode) ? rights : rights & of_files, fd};
    const bool good = syscall(add_rule, ruleset, 1, &rule, 0) == 0;
    close(fd);
    return good;
}

} // namespace

int landlock_version() {
    const long version = syscall(create_ruleset, nullptr, 0, 1);
    return version > 0 ? static_cast<int>(version) : 0;
}

int landlock_rules(const std::vector<std::filesystem::path>& readable,
                   const std::vector<std::filesystem::path>& writable) {
    const int version = landlock_version();
    if (!version)
        return -1;
    const uint64_t all = file_rights(version);
    const Ruleset attributes{all, version >= 4 ? uint64_t{3} : 0, version >= 6 ? uint64_t{3} : 0};
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const int ruleset = static_cast<int>(syscall(create_ruleset, &attributes, size, 0));
    if (ruleset < 0)
        return -1;
    bool good = true;
    for (const auto& path : readable)
        good &= allow(ruleset, path, execute | read_file | read_dir);
    for (const auto& path : writable)
        good &= allow(ruleset, path, all);
    good &= allow(ruleset, "/dev/null", (read_file | write_file | truncate_file) & all);
    for (const char* device : {"/dev/zero", "/dev/urandom", "/dev/random", "/dev/full"})
        good &= allow(ruleset, device, read_file);
    if (good)
        return ruleset;
    close(ruleset);
    return -1;
}

bool landlock(int rules) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(restrict_self, rules, 0) == 0;
}

} // namespace isolation
