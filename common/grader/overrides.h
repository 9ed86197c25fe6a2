// overrides.toml beside the results: a person's final decisions. Results stay as the grader made them, so that grading
// again loses nothing; all exports show the decision, and that a person made it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/files.h"
#include "grader/result/result.h"

namespace grader {

struct Override {
    std::optional<double> points; ///< of the lab's own, before its weight; neither lateness nor cases change them
    bool excused = false;         ///< the lab counts for nothing, neither points nor possible points
    std::string comment, by;
};

class Overrides {
  public:
    /// Of overrides.toml in this folder of results or in the one around it. Throws base::Problem that names the line.
    static Overrides beside(const fs::path& results);
    void apply(Result& result) const;
    /// Submissions and labs that are named, but are not there.
    std::vector<std::string> unknown(const std::vector<Result>& results) const;

  private:
    std::map<std::string, std::map<std::string, Override>> by_submission_; ///< lab's number ("03"); "": of all labs
};

} // namespace grader
