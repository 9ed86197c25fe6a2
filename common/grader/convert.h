// `./lab grade convert`: results in the format that somebody else reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/files.h"
#include "grader/formats/formats.h"

namespace grader {

struct Conversion {
    std::string_view name, says;
    bool fills = false;  ///< needs an instructor's export to fill in
    bool single = false; ///< of one result
};
const std::vector<Conversion>& conversions();

struct ConvertOptions {
    fs::path results;  ///< the folder of --out, a folder of results, or one result
    fs::path exported; ///< for those that fill
    FillOptions fill;
};

/// What is to be written. Throws runner::Problem.
Filled convert(const Conversion& conversion, const ConvertOptions& options);

} // namespace grader
