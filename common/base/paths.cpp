#include "base/paths.h"

#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

#include "base/problem.h"

namespace base {
namespace {

bool writable(const fs::path& folder) {
    std::error_code problem;
    return access((fs::exists(folder, problem) ? folder : folder.parent_path()).c_str(), W_OK) == 0;
}

fs::path home() {
    if (const char* named = std::getenv("HOME"); named && *named)
        return named;
    const passwd* user = getpwuid(geteuid());
    return user && user->pw_dir ? user->pw_dir : "/";
}

// As https://specifications.freedesktop.org/basedir-spec/ has it.
fs::path user_folder(const char* variable, const char* otherwise) {
    const char* named = std::getenv(variable);
    return (named && *named == '/' ? fs::path(named) : home() / otherwise) / "asynclab";
}

} // namespace

fs::path Paths::toolchain() const {
    std::error_code problem;
    const fs::path mine = state / "toolchain.json";
    return fs::exists(mine, problem) ? mine : root / ".asynclab/toolchain.json";
}

fs::path Paths::source(std::string_view name) const {
    std::error_code problem;
    const fs::path mine = own_copy(name);
    return shared() && fs::exists(mine, problem) ? mine : published(name);
}

Paths find_paths() {
    std::error_code problem;
    const fs::path self = fs::read_symlink("/proc/self/exe", problem);
    const fs::path build = self.parent_path().parent_path().parent_path(); // build/common/runner/lab-runner
    const char* named = std::getenv("LAB_ROOT");
    fs::path root = named ? fs::path(named) : build.parent_path();
    if (!fs::exists(root / "labs", problem))
        throw Problem{"no labs in " + root.string(), "start me with ./lab, or set LAB_ROOT to the tree"};
    root = fs::canonical(root);
    Paths paths{root, root / ".asynclab", build};
    if (const char* state = std::getenv("LAB_STATE")) {
        paths.state = state;
    } else if (!writable(paths.state)) {
        paths.state = user_folder("XDG_STATE_HOME", ".local/state");
        paths.cache = user_folder("XDG_CACHE_HOME", ".cache");
    }
    if (!writable(root) || std::getenv("LAB_SHARED")) {
        const char* own = std::getenv("LAB_HOME");
        paths.own = own && *own ? fs::absolute(own) : home() / "asynclab";
    }
    return paths;
}

} // namespace base
