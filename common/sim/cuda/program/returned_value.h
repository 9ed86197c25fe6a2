// Does a program look at what a call has returned? Its machine code says so: right behind the call it reads the
// register of the result, or overwrites it.
#pragma once

#include <cstdint>

namespace sim::cuda {

enum class ResultUse : uint8_t {
    dropped,  ///< overwritten on all paths
    returned, ///< left to the caller of the function that made the call
    used,     ///< read on some path, or the code is not understood
};

/// What becomes of the result of a call that returns to `code`.
ResultUse use_of_result(const uint8_t* code);

} // namespace sim::cuda
