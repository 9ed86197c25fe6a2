// From a folder of results to everything that is made of them.
#pragma once

#include <vector>

#include "base/paths.h"
#include "grader/files.h"
#include "grader/result/result.h"
#include "grader/similarity.h"

namespace grader {

/// Reads the results in a folder, or the one in a file, in the order of their names. Throws base::Problem if there are
/// none.
std::vector<Result> read_results(const fs::path& folder);

/// Those of out/similarity.csv; none if it was never asked for.
std::vector<Pair> read_pairs(const fs::path& out);

/// Reads out/results/*.json, writes similarity.csv if `similarity`, and then the class's reports. Throws base::Problem
/// if there are no results. False: some have no score (Result::undecided), and it has printed which.
bool merge(const base::Paths& paths, const fs::path& folder, bool similarity);

} // namespace grader
