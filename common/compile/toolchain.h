// The compiler that the launcher has chosen: .asynclab/toolchain.json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/paths.h"

namespace compile {

namespace fs = std::filesystem;

struct Toolchain {
    std::string nvcc, version, host_compiler;
    std::vector<std::string> flags;        ///< for nvcc: -ccbin and the like
    std::vector<std::string> include_dirs; ///< the toolkit's headers
    /// All parts of the toolchain outside the system's own folders.
    std::vector<fs::path> folders() const;
    /// A program of the toolkit ("nvdisasm", "compute-sanitizer"), beside nvcc or in PATH; empty: there is none.
    fs::path tool(const std::string& name) const;
    /// The folder of NVIDIA's own CUDA runtime; empty: there is none.
    fs::path runtime() const;
    /// Makes programs use that runtime instead of ours. Throws Problem.
    std::map<std::string, std::string> environment() const;
    std::string major() const { return version.substr(0, version.find('.')); }
};
/// The compiler that the launcher has recorded, or nvcc from PATH if it has recorded none. Throws Problem.
Toolchain find_toolchain(const base::Paths& paths);

} // namespace compile
