#include "isolation/bubblewrap.h"

#include <algorithm>
#include <cstdlib>

#include <unistd.h>

#include "isolation/system_files.h"

namespace isolation {
namespace {

fs::path find_program(const char* name) {
    for (const char* folder : {"/usr/bin", "/bin", "/usr/local/bin"})
        if (access((fs::path(folder) / name).c_str(), X_OK) == 0)
            return fs::path(folder) / name;
    return {};
}

// Folders that bwrap makes by itself are for the user alone who started it.
void make_parents(std::vector<std::string>& command, const fs::path& path) {
    fs::path folder = "/";
    for (const auto& part : path.parent_path().relative_path()) {
        folder /= part;
        command.insert(command.end(), {"--dir", folder.string()});
    }
}

// Creates links anew and binds their targets as well: /lib -> usr/lib.
void show(std::vector<std::string>& command, const fs::path& path) {
    std::error_code problem;
    const auto status = fs::symlink_status(path, problem);
    if (!fs::exists(status))
        return;
    make_parents(command, path);
    if (fs::is_symlink(status) && path.parent_path() == "/")
        command.insert(command.end(), {"--symlink", fs::read_symlink(path).string(), path.string()});
    else
        command.insert(command.end(), {"--ro-bind", path.string(), path.string()});
}

} // namespace

const fs::path& bwrap() {
    static const fs::path program = find_program("bwrap");
    return program;
}

std::vector<std::string> bwrap_arguments(const Box& box, const std::vector<std::string>& arguments,
                                         const fs::path& directory) {
    std::vector<std::string> command{bwrap().string(),    "--unshare-ipc",        "--unshare-pid", "--unshare-net",
                                     "--unshare-uts",     "--unshare-cgroup-try", "--hostname",    "box",
                                     "--die-with-parent", "--new-session"};
    if (!box.user)
        command.emplace_back("--unshare-user");
    // Not bwrap's own /dev: shared memory made from /dev/zero is counted by no limit.
    command.insert(command.end(), {"--proc", "/proc", "--dir", "/dev"});
    for (const char* device : {"/dev/null", "/dev/full", "/dev/random", "/dev/urandom"})
        command.insert(command.end(), {"--dev-bind", device, device});
    auto visible = system_files(box.compiler);
    visible.insert(visible.end(), box.readable.begin(), box.readable.end());
    std::sort(visible.begin(), visible.end()); // outer folders first, or they would hide the folders inside them
    visible.erase(std::unique(visible.begin(), visible.end()), visible.end());
    for (const auto& path : visible)
        show(command, path);
    for (const auto& path : box.writable) {
        make_parents(command, path);
        command.insert(command.end(), {"--bind", path.string(), path.string()});
    }
    // The file systems that bwrap makes are in memory, so programs must not be able to fill them.
    command.insert(command.end(), {"--remount-ro", "/"});
    if (!directory.empty())
        command.insert(command.end(), {"--chdir", directory.string()});
    command.insert(command.end(), {"--seccomp", std::to_string(filter_descriptor), "--"});
    if (box.user) {
        const std::string user = std::to_string(box.user);
        command.insert(command.end(), {"setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--inh-caps=-all",
                                       "--ambient-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"});
    }
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

} // namespace isolation
