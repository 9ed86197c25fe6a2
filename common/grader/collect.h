// Which submissions there are: what `./lab grade` was given, one by one.
#pragma once

#include <iosfwd>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/course.h"
#include "grader/files.h"
#include "grader/result/student.h"

namespace grader {

struct Found {
    std::string id;   ///< a file name that no other has
    std::string from; ///< shown to the instructor: a folder's or file's name
    std::vector<Part> parts;
    std::vector<Student> students{}; ///< several: a group
    std::optional<Time> submitted{}; ///< according to the platform
    bool late = false;               ///< the platform says only that it was late
    std::vector<std::string> remarks{};
    // Of files with a person's name in theirs: who, in small letters, and which labs.
    std::string person{};
    std::set<int> numbers{};
};
/// For a pipe: CBOR, since names of files need not be UTF-8.
std::vector<uint8_t> bytes_of(const Found& found);
Found found_in(std::istream& bytes);

/// A file that belongs to no submission.
struct Ignored {
    std::string path, why;
    bool is_kernel() const { return is_wanted(path); } ///< or an archive: a student has handed it in
};

struct Collection {
    std::vector<Found> found; ///< in the order of their ids
    std::vector<Ignored> ignored;
    std::vector<std::string> layouts; ///< the recognised layouts: "Moodle: 31 students"
};

/// Takes `path` as one submission with the name that it has.
Found one_submission(const fs::path& path);

/// A file is a submission, but files that differ in the lab alone (lab01_ada.cu, lab02_ada.cu) are one. So is a folder
/// in which at least half of the entries are named after labs. In any other folder each entry is one, except `out`,
/// where results go. A single argument may be a download from a platform (layouts.h), unpacked or as one archive, which
/// is split by student. When there are several arguments, each may be a download only if `platform` names its platform,
/// because they may be students' own archives. "none": there are no downloads.
/// `out` also records which student has which id, so that a newcomer of the same name does not change another's id.
Collection collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs, const fs::path& out,
                   const std::string& platform = {});
/// Remembers the ids for the next time.
void keep_ids(const Collection& all, const fs::path& out);

} // namespace grader
