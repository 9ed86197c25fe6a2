// Files and variables that a compiler's flags add to its dependencies, beside headers.
#pragma once

#include <string>
#include <vector>

namespace compile {

/// What of the environment changes what nvcc and the host's compiler read; empty: nothing does.
std::string environment_of_compilers();

/// Contents of all files that the flags name, for hashing: options files, objects, headers that come before all.
std::string contents_named(const std::vector<std::string>& flags);

/// Can the files that a compiler reads with these flags be listed? Some flags read files that no output mentions, and
/// some keep the intermediate files, where the list is, for themselves.
bool leave_a_trace(const std::vector<std::string>& flags);

} // namespace compile
