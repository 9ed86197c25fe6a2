#include "base/paths.h"

#include <cstdlib>

#include "base/problem.h"

namespace base {

Paths find_paths() {
    std::error_code problem;
    const fs::path self = fs::read_symlink("/proc/self/exe", problem);
    const fs::path build = self.parent_path().parent_path().parent_path(); // build/common/runner/lab-runner
    const char* named = std::getenv("LAB_ROOT");
    fs::path root = named ? fs::path(named) : build.parent_path();
    if (!fs::exists(root / "labs", problem))
        throw Problem{"no labs in " + root.string(), "start me with ./lab, or set LAB_ROOT to the tree"};
    root = fs::canonical(root);
    const char* state = std::getenv("LAB_STATE");
    return {root, state ? fs::path(state) : root / ".asynclab", build};
}

} // namespace base
