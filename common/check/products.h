// Measures launch functions that multiply matrices, in a LAB_BENCH.
#pragma once

#include "check/check.h"
#include "check/work.h"

namespace check {

namespace detail {
void measure(std::string_view variant, const Work& work, std::vector<Slot> slots);
} // namespace detail

/// As check::measure, for d = a × b with bfloat16 matrices of m × k, k × n and m × n elements, each moved once. The
/// arguments begin with a and b, the second by columns.
template <class... A>
void measure_product(std::string_view variant, size_t m, size_t n, size_t k, const A&... arguments) {
    const Work work{(m * k + k * n + m * n) * sizeof(uint16_t),
                    2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                    {m, n, k}};
    detail::measure(variant, work, {detail::slot(arguments)...});
}
/// As check::measure, for a call with so many multiplications and additions.
template <class... A>
void measure_products(std::string_view variant, uint64_t bytes, double operations, const A&... arguments) {
    detail::measure(variant, Work{bytes, operations}, {detail::slot(arguments)...});
}

} // namespace check
