// Reading, writing and naming files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace base {

namespace fs = std::filesystem;

/// The whole file. Throws Problem.
std::string read_file(const fs::path& path);
/// Writes a temporary file beside it and renames it. Throws Problem.
void write_file(const fs::path& path, std::string_view text);

/// `path` as the user would type it: relative to the working directory if it is inside that directory.
std::string shown(const fs::path& path);

} // namespace base
