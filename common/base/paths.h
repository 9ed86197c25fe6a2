// Where things are. The launcher names the tree in LAB_ROOT. A user who may not write to the tree uses it as a shared
// installation: state, compiled programs and edited files are then in the user's own folders.
#pragma once

#include <filesystem>
#include <string_view>

namespace base {

namespace fs = std::filesystem;

struct Paths {
    fs::path root;    ///< of the tree: labs/, solutions/, common/
    fs::path state;   ///< .asynclab, or a folder of the user's own: progress, caches and settings
    fs::path build;   ///< where this program was built
    fs::path cache{}; ///< compiled things; empty: in `state`
    fs::path own{};   ///< the user's own labs/, if a shared installation is used

    bool shared() const { return !own.empty(); }
    fs::path cache_folder() const { return cache.empty() ? state / "cache" : cache; }
    /// The compiler that the launcher has found.
    fs::path toolchain() const;
    fs::path lab(std::string_view name) const { return root / "labs" / name; }
    /// The file that a student edits, and its solution. `name`: of a lab, or of an exercise in it.
    fs::path source(std::string_view name) const;
    fs::path solution(std::string_view name) const { return root / file("solutions", name); }
    /// The file of the tree, and the path of the user's own copy if the tree is a shared installation.
    fs::path published(std::string_view name) const { return root / file("labs", name); }
    fs::path own_copy(std::string_view name) const { return own / file("labs", name); }
    fs::path student_include() const { return root / "common/check/student"; }
    fs::path stub() const { return build / "common/check/libcheck_stub.a"; }
    /// The folder of the simulated libcudart.so.13 and libcuda.so.1.
    fs::path cudart() const { return build / "common/sim/cuda"; }

  private:
    static fs::path file(const char* folder, std::string_view name) {
        const bool exercise = name.find('/') != name.npos;
        return fs::path(folder) / (exercise ? std::string(name) + ".cu" : std::string(name) + "/kernel.cu");
    }
};
/// LAB_SHARED says that the tree is a shared installation even for a user who may write to it: a Python package is.
/// Throws Problem when LAB_ROOT is not set and this program is not part of a tree.
Paths find_paths();

} // namespace base
