// NVIDIA's library of matrix products, where it is installed: what a lab's products are compared with.
#pragma once

#include <cstdint>
#include <vector>

namespace check::gpu {

/// Matrices of bfloat16 in device memory: a of m × k elements, b of n × k, d of m × n, by rows.
struct Product {
    uint64_t m, n, k;
    uint64_t a, b, d; ///< addresses
};
/// Seconds that each of `runs` products takes cuBLAS after `warm_up` of them, on the device of the current context.
/// Empty: there is no cuBLAS here, or it refuses. Nothing is linked with it.
std::vector<double> cublas_times(const Product& product, int warm_up, int runs);

} // namespace check::gpu
