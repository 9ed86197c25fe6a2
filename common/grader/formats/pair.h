// Two similar submissions: see similarity.h.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace grader {

struct Pair {
    std::string lab, first, second;           ///< submissions
    double share = 0;                         ///< of the smaller one's own code that the other has too, 0 … 1
    size_t tokens = 0;                        ///< about how many that are
    std::vector<std::pair<int, int>> lines{}; ///< some of them: line of the first, line of the second
};

} // namespace grader
