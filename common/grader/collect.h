// Which submissions there are: what `./lab grade` was given, one by one.
#pragma once

#include <string>
#include <vector>

#include "grader/files.h"

namespace grader {

struct Found {
    std::string id; ///< a file name that no other has
    fs::path path;  ///< folder, file or archive
};

/// A file is a submission; so is a folder in which something is named after a lab. Of any other folder each entry is
/// one. In the order of their ids.
std::vector<Found> collect(const std::vector<fs::path>& arguments, const std::vector<std::string>& labs);

} // namespace grader
