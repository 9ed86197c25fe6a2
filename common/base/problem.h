// Something that the user has to put right.
#pragma once

#include <string>

namespace base {

/// Thrown: what went wrong, and what the user can do next.
struct Problem {
    std::string what, next;
    int code = 2; ///< exit code
};

} // namespace base
