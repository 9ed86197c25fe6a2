// What the descriptors of tcgen05.mma say: the instruction descriptor names types and shape, the descriptors of A and B
// say where the matrices are (PTX ISA, "Matrix Descriptors").
#pragma once

#include <cstdint>
#include <string>

namespace sim::instructions::tcgen05 {

enum class Kind : uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
/// Of the elements of A and B.
enum class Format : uint8_t { f16, bf16, tf32, e4m3, e5m2, e2m3, e3m2, e2m1, u8, s8 };
/// Of the elements of D.
enum class Sum : uint8_t { f16, f32, s32 };

/// What the instruction itself says.
struct Variant {
    Kind kind = Kind::f16;
    uint32_t group = 1;             ///< cta_group
    bool weight_stationary = false; ///< .ws
    uint32_t scales = 0;            ///< scale factors for a line of A or B; 0: without .block_scale
};

struct Product {
    Format a = Format::f16, b = Format::f16;
    Sum d = Sum::f32;
    uint32_t m = 0, n = 0, k = 0; ///< of the whole product, of both CTAs of a pair
    bool negate_a = false, negate_b = false;
    bool transpose_a = false, transpose_b = false; ///< M-major, N-major
    bool saturate = false;
    uint32_t scale_a_id = 0, scale_b_id = 0; ///< bytes in the cell at which the scale factors begin
    bool ue8m0 = false;                      ///< the scale factors' type; else UE4M3
};

/// Reads an instruction descriptor. Returns what is wrong with it; empty: nothing.
std::string read(uint32_t bits, const Variant&, Product&);

/// What is wrong with a shared memory descriptor. `bits_of_element`: of a matrix that is transposed; 0: it is not.
std::string wrong(uint64_t bits, uint32_t bits_of_element);

/// Bits of an element in memory as .kind packs it, its padding included.
uint32_t stored_bits(Format, Kind);

} // namespace sim::instructions::tcgen05
