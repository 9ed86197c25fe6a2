// Which submissions there are: what `./lab grade` was given, one by one.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "grader/course.h"
#include "grader/files.h"

namespace grader {

struct Found {
    std::string id;   ///< a file name that no other has
    std::string from; ///< what the instructor sees: a folder's or file's name
    std::vector<Part> parts;
    std::vector<Student> students; ///< several: a group
    std::optional<Time> submitted; ///< as the platform tells
    bool late = false;             ///< all that it tells
    std::vector<std::string> remarks;
};
/// For a pipe: CBOR, since names of files need not be UTF-8.
std::vector<uint8_t> bytes_of(const Found& found);
Found found_in(std::istream& bytes);

struct Collection {
    std::vector<Found> found;         ///< in the order of their ids
    std::vector<std::string> ignored; ///< files that belong to nobody, and why
    std::vector<std::string> layouts; ///< what was recognised: "Moodle: 31 students"
};

/// Whatever lies there, named as it is.
Found one_submission(const fs::path& path);

/// A file is a submission; so is a folder in which a folder or a .cu file is named after a lab. Of any other folder
/// each entry is one, but for `out`, where results go. Downloads of Moodle, Canvas and Gradescope, unpacked or as one
/// archive, are taken apart by student.
/// `out` also keeps who is called what: nobody gets another id because a newcomer has the same name.
Collection collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs, const fs::path& out);
/// Remembers the ids for the next time.
void keep_ids(const Collection& all, const fs::path& out);

} // namespace grader
