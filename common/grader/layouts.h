// How learning platforms name the files of a download. Pure functions of the names.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/collect.h"

namespace grader {

/// One student's files in a download.
struct Handed {
    std::string key; ///< the same for all files of one student
    Student student; ///< as far as the names identify the student
    std::vector<std::string> remarks;
    bool late = false;                        ///< as the platform says, without a time
    std::map<std::string, std::string> files; ///< path in the download -> the student's name for it
};

struct Layout {
    std::string_view platform; ///< "Moodle", "Canvas", "Gradescope"; empty: no download that is known here
    std::vector<Handed> handed;
    std::vector<Ignored> ignored;
    std::string doubt{}; ///< why it is none, though some names look like it; empty: none do
};

/// `paths`: all files of a download, with slashes. `platform`: "moodle", "canvas" or "gradescope"; empty: the one by
/// which more than half of the entries are named, since a few may be students' own names.
Layout layout_of(const std::vector<std::string>& paths, std::string_view platform = {});

/// Gradescope's submission_metadata.yml, as far as it matters here: by folder ("submission_123") who handed in and
/// when.
struct Metadata {
    std::vector<Student> students;
    std::optional<Time> submitted;
};
std::map<std::string, Metadata> gradescope_metadata(std::string_view yaml);
/// Its path; empty: there is none. A student's file of the same name is deeper.
std::string gradescope_metadata_file(const std::vector<std::string>& paths);

} // namespace grader
