// What one student handed in: for each lab at most one kernel.cu.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/files.h"

namespace grader {

struct Kernel {
    std::string path; ///< inside the submission, as the student named it
    std::string text;
};

struct Submission {
    std::map<std::string, Kernel> kernels; ///< by lab: "03_pipeline_primitives"
    std::vector<std::string> problems;     ///< parts that were not understood, for the report
    std::vector<std::string> unrecognised; ///< kernels that no lab is named by: they could be for one that is missing
    bool late = false;                     ///< the platform says so, and no time
};

/// `labs`: their names. A file belongs to the lab that its name, or a folder in its path, names by number or in full
/// (lab_names.h): labs/03_pipeline_primitives/kernel.cu, lab03.cu, 3/kernel.cu. If there is only one lab, it is the
/// only file, or kernel.cu.
Submission submission(const Reading& reading, const std::vector<std::string>& labs);

} // namespace grader
