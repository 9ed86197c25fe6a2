// The files of a submission, read without trusting anything about them: nothing is ever written by a name that a
// student chose, links are not followed, and there is an end to sizes and numbers.
#pragma once

#include <filesystem>
#include <functional>
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
    int depth = 2;                             ///< archives inside of archives
};

/// One thing that belongs to a submission.
struct Part {
    fs::path path;      ///< a folder, a file or an archive
    std::string inside; ///< only this file of the archive; else all
    std::string called; ///< what the student called the file; empty: as it is called
};

/// All of them together.
Reading read_parts(const std::vector<Part>& parts, const ReadLimits& limits = {});
/// The paths of all files in a folder or an archive, however many, in order. Throws base::Problem if it cannot be
/// read.
std::vector<std::string> list_files(const fs::path& path);
/// One file of a folder or an archive that is no student's work; empty if there is none.
std::string read_member(const fs::path& path, const std::string& inside);

/// A folder, a file or an archive. Only what could be a kernel or an archive of kernels (.cu, .zip, .tar…) is read.
Reading read_files(const fs::path& path, const ReadLimits& limits = {});
/// The files inside of an archive that was read from somewhere.
Reading read_archive(std::string_view bytes, const ReadLimits& limits = {});
bool is_archive(std::string_view name);
/// Could this path be a kernel, or an archive of kernels?
bool is_wanted(std::string_view name);
/// Adds what was found in an archive of this name.
void take(Reading& into, const std::string& name, Reading&& archive);

/// The regular files in an archive that the instructor has downloaded.
std::vector<std::string> list_archive(const fs::path& path);
/// Those of them for which `wanted` gives a largest size that is not 0.
Files read_members(const fs::path& path, const std::function<size_t(const std::string&)>& wanted,
                   std::vector<std::string>& problems);

} // namespace grader
