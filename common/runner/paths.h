// Where things lie. The launcher names the tree in LAB_ROOT.
#pragma once

#include <filesystem>
#include <string>

namespace runner {

namespace fs = std::filesystem;

struct Paths {
    fs::path root;  ///< of the tree: labs/, solutions/, common/
    fs::path state; ///< .asynclab
    fs::path build; ///< where this program was built

    fs::path lab(std::string_view name) const { return root / "labs" / name; }
    fs::path solution(std::string_view name) const { return root / "solutions" / name / "kernel.cu"; }
    fs::path student_include() const { return root / "common/check/student"; }
    fs::path stub() const { return build / "common/check/libcheck_stub.a"; }
    fs::path cudart() const {
        return build / "common/sim/cuda";
    } ///< folder of the simulated libcudart.so.13 and libcuda.so.1
};
/// Throws Problem when LAB_ROOT is not set and this program does not lie in a tree.
Paths find_paths();

/// Something that the user has to put right: what is wrong, and what to do next.
struct Problem {
    std::string what, next;
    int code = 2; ///< exit code
};

std::string read_file(const fs::path& path);
/// Writes a temporary file beside it and renames it.
void write_file(const fs::path& path, std::string_view text);

/// `path` as the user would type it: relative to the working directory if it lies inside.
std::string shown(const fs::path& path);

} // namespace runner
