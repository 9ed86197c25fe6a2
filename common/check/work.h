// What a call that is measured has to do.
#pragma once

#include <array>
#include <cstdint>

namespace check {

struct Work {
    uint64_t bytes = 0;    ///< read and written
    double operations = 0; ///< multiplications and additions of matrices; 0: it multiplies none
    /// m, n, k of the one product of bfloat16 matrices that it is, for which NVIDIA's library is measured, too; else 0.
    std::array<uint64_t, 3> product{};
};

} // namespace check
