// The files of a submission, read without trusting anything about them: nothing is ever written by a name that a
// student chose, links are not followed, and there is an end to sizes and numbers.
#pragma once

#include <algorithm>
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
    std::vector<std::string> problems; ///< files that were left out and why, for the report
};

/// What one submission may still hold. All of its folders and archives, however deep, spend from the same budget.
class Budget {
  public:
    static constexpr size_t file_bytes = size_t{1} << 20;
    static constexpr size_t archive_bytes = size_t{16} << 20;
    static constexpr int depth = 2; ///< archives inside of archives

    /// Each is false when the budget is spent; then nothing more is read.
    bool entry() { return spend(entries_, 1); }
    bool inflate(size_t bytes) { return spend(inflated_, bytes); } ///< from an archive, including skipped files
    bool keep(size_t bytes) { return spend(kept_, bytes); }        ///< kernels, and archives inside folders
    bool spent() const { return spent_; }

  private:
    bool spend(size_t& left, size_t amount) {
        spent_ = spent_ || amount > left;
        left -= std::min(left, amount);
        return !spent_;
    }
    size_t entries_ = 2000, inflated_ = size_t{256} << 20, kept_ = size_t{16} << 20;
    bool spent_ = false;
};
/// What to say when it is.
constexpr std::string_view more_than_any = "holds more than any submission does: the rest is left out";

/// One thing that belongs to a submission.
struct Part {
    fs::path path;      ///< a folder, a file or an archive
    std::string inside; ///< only this file of the archive; else all
    std::string called; ///< the student's name for the file; empty: its present name
};

/// All of them together. Archives can be made to take any time and memory: see reading.h.
Reading read_parts(const std::vector<Part>& parts);
/// The paths of all files in a folder or an archive, however many, in order. Throws base::Problem if it cannot be
/// read.
std::vector<std::string> list_files(const fs::path& path);
/// One file of a folder or an archive that is no student's work; empty if there is none.
std::string read_member(const fs::path& path, const std::string& inside);

/// A folder, a file or an archive. Only what could be a kernel or an archive of kernels (.cu, .zip, .tar…) is read.
Reading read_files(const fs::path& path, Budget& budget);
/// The files inside of an archive that was read from somewhere, itself inside of `depth` others.
Reading read_archive(std::string_view bytes, Budget& budget, int depth = 0);
bool is_archive(std::string_view name);
/// kernel.cu, LAB03.CU; also lab03.cu.txt and "lab03.cu ", which systems and web pages make of such names.
bool is_source(std::string_view name);
/// How many characters of such a name are its ending; 0: it is no such name.
size_t source_ending(std::string_view name);
/// Could this path be a kernel, or an archive of kernels?
bool is_wanted(std::string_view name);
/// Adds the files found in an archive of this name.
void take(Reading& into, const std::string& name, Reading&& archive);

/// The regular files in an archive that the instructor has downloaded.
std::vector<std::string> list_archive(const fs::path& path);
/// Those of them for which `wanted` gives a largest size that is not 0.
Files read_members(const fs::path& path, const std::function<size_t(const std::string&)>& wanted,
                   std::vector<std::string>& problems);

} // namespace grader
