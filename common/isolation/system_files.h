// What of the operating system a boxed program has to see.
#pragma once

#include <filesystem>
#include <vector>

namespace isolation {

/// The C and C++ libraries and what the loader needs; for compilers also programs and headers.
std::vector<std::filesystem::path> system_files(bool compiler);

} // namespace isolation
