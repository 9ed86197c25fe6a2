// Where nvcc's preprocessor looks for headers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace compile {

namespace fs = std::filesystem;

/// The folders, in order, that of `source` last. Empty: unknown. nvcc is asked once for each set of flags: what it says
/// is kept in `cache` until a folder that it ignores, because it does not exist, does. `nvcc`: the compiler and its
/// flags. `known`: what else its search path depends on.
std::vector<fs::path> search_path(const std::vector<std::string>& nvcc, const std::string& known,
                                  const fs::path& source, const fs::path& cache);

} // namespace compile
