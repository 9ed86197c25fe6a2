// What files and variables the flags of a compiler bring in beside headers.
#pragma once

#include <string>
#include <vector>

namespace compile {

/// What of the environment changes what nvcc and the host's compiler read; empty: nothing does.
std::string environment_of_compilers();

/// Contents of all files that the flags name, for hashing: options files, objects, headers that come before all.
std::string contents_named(const std::vector<std::string>& flags);

/// Can the files that a compiler reads with these flags be listed? Some bring in files without a trace, and some want
/// the compiler's intermediate files, where the trace is, for themselves.
bool leave_a_trace(const std::vector<std::string>& flags);

} // namespace compile
