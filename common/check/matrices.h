// Products of matrices of bf16, as labs on tensor cores expect them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/expect.h"

namespace check {

/// The bits of the nearest bf16; ties to even.
uint16_t to_bf16(float value);
std::vector<uint16_t> to_bf16(const std::vector<float>& values);
float from_bf16(uint16_t bits);

/// The sum of a[i] * b[i], in no particular order: for values whose sums are exact.
float dot(const float* a, const float* b, size_t count);

/// The bf16 of A times B transposed; A has m rows, and B n rows, of k numbers each. The result has n to a row.
std::vector<uint16_t> product(const std::vector<float>& a, const std::vector<float>& b, size_t m, size_t n, size_t k);

namespace detail {

/// Whose reports show numbers, not bits.
inline Elements elements_of_bf16(const std::vector<uint16_t>& values) {
    Elements all = elements(values);
    all.text = [&values](size_t i) { return text_of(from_bf16(values[i])); };
    return all;
}

} // namespace detail

/// As check::equal, for numbers of bf16.
inline void equal_bf16(const Buffer<uint16_t>& out, const std::vector<uint16_t>& expected, Shape shape) {
    const std::vector<uint16_t> got = out.read();
    const detail::Same same = [&](size_t i, size_t j) { return got[i] == expected[j]; };
    detail::compare(detail::elements_of_bf16(got), detail::elements_of_bf16(expected), same, *out.all().memory,
                    out.all().first, shape);
}

/// The same; each may differ from the expected one by what is allowed for it.
inline void near(const Buffer<uint16_t>& out, const std::vector<double>& expected, const std::vector<double>& allowed,
                 Shape shape) {
    const std::vector<uint16_t> got = out.read();
    const detail::Same same = [&](size_t i, size_t j) { // false for NaN
        return std::abs(from_bf16(got[i]) - expected[j]) <= allowed[j];
    };
    detail::compare(detail::elements_of_bf16(got), detail::elements(expected), same, *out.all().memory, out.all().first,
                    shape);
}

} // namespace check
