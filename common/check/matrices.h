// Products of matrices of bf16, as labs on tensor cores expect them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace check {

/// The bits of the nearest bf16; ties to even.
uint16_t to_bf16(float value);
std::vector<uint16_t> to_bf16(const std::vector<float>& values);

/// The sum of a[i] * b[i], in no particular order: for values whose sums are exact.
float dot(const float* a, const float* b, size_t count);

/// The bf16 of A times B transposed; A has m rows, and B n rows, of k numbers each. The result has n to a row.
std::vector<uint16_t> product(const std::vector<float>& a, const std::vector<float>& b, size_t m, size_t n, size_t k);

} // namespace check
