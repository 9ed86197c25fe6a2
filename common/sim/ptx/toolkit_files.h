// Tells the files of a program from those of the CUDA toolkit and the system.
#pragma once

#include <string_view>

namespace sim::ptx {

/// Whether `path` (as in PTX .file) is a header of the CUDA toolkit, of CCCL, or of the system. Goes by the path alone,
/// so it knows the layouts of the toolkit's installer, of distributions, of pip and of conda. A program's own headers
/// are not toolkit files, whatever they are called, unless they lie where a toolkit's would.
bool is_toolkit_file(std::string_view path);

} // namespace sim::ptx
