// Which submissions are similar: a hint for a person, never part of a score.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/formats/pair.h"
#include "grader/result/result.h"

namespace grader {

/// Pairs of submissions to one lab that have more in common than the lab's skeleton and passages that most others
/// share, the most similar first. Names, numbers, comments and layout do not matter. By winnowing
/// (https://theory.stanford.edu/~aiken/publications/papers/sigmod03.pdf): fingerprints of 14 tokens each, of which any
/// 24 tokens in common show at least one. `skeletons`: the skeleton of each lab.
std::vector<Pair> similar(const std::vector<Result>& results, const std::map<std::string, std::string>& skeletons,
                          double at_least = 0.5);

/// A line for each pair.
std::string csv(const std::vector<Pair>& pairs);
/// What csv() wrote, without the lines in common.
std::vector<Pair> pairs_from(const std::string& csv);

} // namespace grader
