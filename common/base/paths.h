// Where things are. The launcher names the tree in LAB_ROOT.
#pragma once

#include <filesystem>
#include <string_view>

namespace base {

namespace fs = std::filesystem;

struct Paths {
    fs::path root;  ///< of the tree: labs/, solutions/, common/
    fs::path state; ///< .asynclab
    fs::path build; ///< where this program was built

    fs::path lab(std::string_view name) const { return root / "labs" / name; }
    /// The file that a student edits, and its solution. `name`: of a lab, or of an exercise in it.
    fs::path source(std::string_view name) const { return file("labs", name); }
    fs::path solution(std::string_view name) const { return file("solutions", name); }
    fs::path student_include() const { return root / "common/check/student"; }
    fs::path stub() const { return build / "common/check/libcheck_stub.a"; }
    /// The folder of the simulated libcudart.so.13 and libcuda.so.1.
    fs::path cudart() const { return build / "common/sim/cuda"; }

  private:
    fs::path file(const char* folder, std::string_view name) const {
        const bool exercise = name.find('/') != name.npos;
        return root / folder / (exercise ? std::string(name) + ".cu" : std::string(name) + "/kernel.cu");
    }
};
/// Throws Problem when LAB_ROOT is not set and this program is not part of a tree.
Paths find_paths();

} // namespace base
