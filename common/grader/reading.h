// Reads submissions in processes of their own: even when an archive breaks the library that unpacks it, the others are
// read, and none delays the rest for long.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/files.h"

namespace grader {

/// Reads submissions, `jobs` at a time. `take` gets them by index as they are read; one that takes too much time or
/// memory has no files but a problem that says why.
void read_each(const std::vector<const std::vector<Part>*>& submissions, unsigned jobs,
               const std::function<void(size_t, Reading)>& take);
Reading read_safely(const std::vector<Part>& parts);

/// As list_files. Throws base::Problem, also if it takes too long.
std::vector<std::string> list_safely(const fs::path& path);

} // namespace grader
