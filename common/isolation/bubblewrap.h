// bubblewrap: a process that sees only the files and services that it needs.
#pragma once

#include "isolation/isolation.h"

namespace isolation {

/// Empty if there is no bwrap.
const fs::path& bwrap();
std::vector<std::string> bwrap_arguments(const Box& box, const std::vector<std::string>& arguments,
                                         const fs::path& directory);

} // namespace isolation
