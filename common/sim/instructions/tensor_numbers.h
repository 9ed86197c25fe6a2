// The arithmetic of tensor cores: D = A * B + C on decoded matrices, bit for bit as an H200 computes it
// (docs/fidelity.md).
//
// Floating-point products are exact. A sum takes in the accumulator and `depth` products at once: all are shifted to
// the largest exponent among them, bits below `fraction` are cut off, and the integers are added. The result is
// cut to `kept` bits for .f32 and rounded to nearest for .f16. A product's exponent is the sum of its factors'
// exponents, even when the product of their significands is 2 or more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sim::instructions::tensor {

enum class Element : uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, u8, s8, u4, s4, b1, s32 };

/// The element that a type's modifier names: ".bf16".
Element element_named(std::string_view modifier);
/// Bits that an element takes up in registers and in memory.
uint32_t bits_of(Element element);
bool is_floating(Element element);

inline constexpr uint32_t most_rows = 64, most_columns = 256, most_depth = 32;
inline constexpr int32_t lowest_exponent = -20000;

/// What all numbers of a matrix have in common; zeros and special ones do not count.
struct Extent {
    int32_t top = lowest_exponent;   ///< no number's exponent is larger
    int32_t unit = -lowest_exponent; ///< all numbers are multiples of 2^unit
    bool special = false;            ///< there is an infinity or a NaN
};

enum class Major : uint8_t { line, k };

/// A multiplicand. Element (line, k) is at line * depth + k in A and k * columns + line in B, where a line is a row of
/// A or a column of B. An element of b1 is a word of 32 bits.
struct Multiplicand {
    static constexpr uint32_t most = most_depth * most_columns;
    alignas(64) uint32_t bits[most]; ///< of each element: put here, then decode()
    // Of floating types:
    alignas(64) float number[most];
    alignas(64) float significand[most]; ///< with sign, less than 2; inf or NaN
    alignas(64) int32_t exponent[most];  ///< lowest_exponent for zero
    bool special[most_columns];          ///< lines with an infinity or a NaN
    Extent extent;
    // Of integer types:
    alignas(64) int32_t integer[most];

    /// Puts 16 bytes of elements of `bytes` each at `at`, at + stride …
    void put(const std::byte* from, uint32_t bytes, uint32_t at, uint32_t stride);
    void decode(Element element, uint32_t lines, uint32_t depth, Major major, bool negate = false);
};

struct Size {
    uint32_t rows, columns, depth; ///< of D, of D, of the products
};

/// How one kind of instruction adds.
struct Summation {
    uint32_t depth; ///< products that one sum takes in
    int fraction;   ///< bits behind the point of the largest number's exponent
    int kept = 24;  ///< bits of an .f32 result
};

/// accumulators[row * columns + column] += A * B; their bits, of .f32 or .f16.
void multiply_floats(Element accumulator, const Summation& how, const Size& size, const Multiplicand& a,
                     const Multiplicand& b, uint32_t* accumulators);

enum class Bitwise : uint8_t { multiply, exclusive_or, conjunction }; ///< the last two for b1
void multiply_integers(Bitwise how, bool saturate, const Size& size, const Multiplicand& a, const Multiplicand& b,
                       uint32_t* accumulators);

/// a + b, rounded to nearest: bits of .f32 or .f16.
uint32_t add(Element element, uint32_t a, uint32_t b);

/// a * b + c with one rounding. If several are NaN, b takes precedence over c, and c over a.
double multiply_add(double a, double b, double c);

} // namespace sim::instructions::tensor
