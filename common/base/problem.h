// Something that the user has to put right.
#pragma once

#include <string>

namespace base {

/// Thrown: what is wrong, and what to do next.
struct Problem {
    std::string what, next;
    int code = 2; ///< exit code
};

} // namespace base
