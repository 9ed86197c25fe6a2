// `./lab grade convert`: writes results in another program's format.
#pragma once

#include "grader/files.h"
#include "grader/formats/formats.h"

namespace grader {

struct ConvertOptions {
    fs::path results;  ///< the folder of --out, a folder of results, or one result
    fs::path exported; ///< for formats that fill in
    FillOptions fill;
};

/// Reads the results and writes them in this format. Throws base::Problem.
Written convert(const Format& format, const ConvertOptions& options);

} // namespace grader
