// Formulas for what buffers hold before and after a launch: "i % 7", "2 * in[i] + 1", "sum(k, 0, 32, in[32 * i + k])".
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace launch {

/// The values of the names in a formula.
struct Names {
    std::map<std::string, double, std::less<>> numbers;
    /// A buffer's elements; throws base::Problem if there are none.
    std::function<std::span<const double>(std::string_view buffer)> elements;
};

/// Arithmetic, comparisons and ?: on numbers, as C has them, but / keeps the fraction. %, &, |, ^, << and >> are for
/// integers. Functions: min, max, abs, floor, sqrt, random(seed, k), which is the k-th of a row of numbers in [0, 1),
/// and sum(k, from, to, term) for k = from … to - 1.
class Formula {
  public:
    /// `names` must outlive it; their numbers may change between calls of value(). Throws base::Problem.
    Formula(std::string_view text, Names& names);
    ~Formula();
    double value() const;

    struct Node;

  private:
    std::unique_ptr<const Node> root_;
};

} // namespace launch
