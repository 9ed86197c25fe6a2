// A tcgen05.mma between its issue and its completion: where its operands are, and what it computes. Products are exact;
// sums are kept in f32 and taken in the order of K, because how the hardware adds is not documented.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/async/tensor_memory.h"
#include "sim/instructions/tcgen05_descriptor.h"

namespace sim::machine {
class Block;
}

namespace sim::instructions::tcgen05 {

/// Rows and columns of a matrix in lanes and columns of Tensor Memory.
struct Rectangle {
    uint32_t row, rows, lane;
    uint32_t n, columns, column;
};

/// Where one CTA has its rows of D (or of A, whose columns are cells): layouts A, B, D, E, F and G of the manual.
/// `copies`: A is there once for each part of the columns of D that it meets.
std::vector<Rectangle> rectangles(const Product&, const Variant&, async::TensorMemory::Address, uint32_t columns,
                                  bool copies);

/// A matrix in shared memory, by pieces of 16 bytes: along K for each line, or along the lines for each K.
struct SharedMatrix {
    machine::Block* block = nullptr;
    std::vector<uint32_t> offsets;
};

/// What one CTA of the pair contributes and gets.
struct Part {
    machine::Block* block = nullptr;
    SharedMatrix a; ///< no offsets: A is in Tensor Memory
    SharedMatrix b;
    std::vector<Rectangle> d, a_cells;
};

struct Multiplication {
    Product product;
    Variant variant;
    std::vector<Part> parts; ///< one or two
    bool accumulate = false;
    uint32_t scale_d = 0;                ///< D is divided by two to this power
    std::array<uint32_t, 8> disabled{};  ///< a bit for each lane of D that stays as it is
    uint32_t scales_a = 0, scales_b = 0; ///< first columns of the scale factors
    uint32_t rows() const { return product.m / uint32_t(parts.size()); } ///< of a CTA
};

void carry_out(const Multiplication&);

/// Number of 16-byte pieces along the inner dimension of a matrix with `lines` lines.
uint32_t pieces(bool transposed, uint32_t lines, Format, const Variant&);

/// 16 bytes of 4-bit or 6-bit elements, followed by padding, as 16 bytes with one element each.
void unpack(Format, const uint8_t from[16], uint8_t to[16]);

} // namespace sim::instructions::tcgen05
