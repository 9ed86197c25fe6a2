// Distinguishes the files of a program from those of the CUDA toolkit and the system.
#pragma once

#include <string_view>

namespace sim::ptx {

/// Whether `path` (as in PTX .file) is a header of the CUDA toolkit, of CCCL, or of the system. Decides by the path
/// alone, so it knows the layouts of the toolkit's installer, of distributions, of pip and of conda. A program's own
/// headers are not toolkit files, whatever their names, unless they are where a toolkit's would be.
bool is_toolkit_file(std::string_view path);

} // namespace sim::ptx
