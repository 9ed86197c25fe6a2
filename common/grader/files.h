// The files of a submission, read without trusting anything about them: nothing is ever written by a name that a
// student chose, links are not followed, and there is an end to sizes and numbers.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace grader {

namespace fs = std::filesystem;

/// Path inside the submission, with slashes -> contents.
using Files = std::map<std::string, std::string>;

struct Reading {
    Files files;
    std::vector<std::string> problems; ///< what was left out and why, for the report
};

struct ReadLimits {
    size_t file_bytes = size_t{1} << 20;
    size_t all_bytes = size_t{16} << 20;
    size_t entries = 2000;
    size_t inflated_bytes = size_t{256} << 20; ///< of an archive, what is skipped included
};

/// A folder, a file or an archive. Only what could be a kernel or an archive of kernels (.cu, .zip, .tar…) is read.
Reading read_files(const fs::path& path, const ReadLimits& limits = {});
/// The files inside of an archive that was read from somewhere.
Reading read_archive(std::string_view bytes, const ReadLimits& limits = {});
bool is_archive(std::string_view name);

} // namespace grader
