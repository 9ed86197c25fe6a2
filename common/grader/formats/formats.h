// The export formats: each is a file of this folder with a record, and a line in the list of its meson.build.
// docs/grading.md describes them. Text that a student can influence is escaped for each format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/formats/pair.h"
#include "grader/result/result.h"

namespace grader {

/// A gradebook that an instructor has exported is filled in; all other formats are made from results alone.
struct FillOptions {
    std::string column; ///< empty: the only one that it could be
    std::string lab;    ///< its name; empty: the sum of all
};

/// The input of a format.
struct Source {
    const std::vector<Result>& results;
    std::string_view exported{}; ///< for those that fill in
    FillOptions fill{};
    std::vector<Pair> alike{}; ///< of similarity.csv, where there is one
};

struct Written {
    std::string text;
    std::vector<std::string> remarks{}; ///< students whom the export lacks, and students without a result
};

struct Format {
    enum class Of : uint8_t {
        all,      ///< all results together
        each,     ///< one result
        gradebook ///< a file that an instructor has exported
    };
    std::string_view name, help; ///< for `./lab grade convert`
    Of of = Of::all;
    Written (*write)(const Source& source);
    /// What `./lab grade` itself writes it to: a file's name, or a folder's for one file from each result; empty: it
    /// does not.
    std::string_view report{};
    std::string_view extension{}; ///< ".csv"
};
/// In the order of the list.
const std::vector<const Format*>& formats();

/// Defines a format's record, in namespace NAME_format.
#define GRADE_FORMAT                                                                                                   \
    extern const Format format;                                                                                        \
    const Format format

} // namespace grader
