// Which element of a matrix a register of a lane holds (PTX ISA, "Matrix fragments"): the same pattern for all shapes
// and types of mma, wmma and wgmma, except the quad pairs of mma.m8n8k4.
#pragma once

#include <cstdint>

namespace sim::instructions::tensor {

/// Four lanes hold eight rows of 16 bytes: lane t has row t / 4 and bytes 4 (t % 4) … 4 (t % 4) + 3 of it.
struct RowAndColumn {
    uint32_t row, column;
};

/// Element `i` of register `reg` of A (or of the transpose of B, whose registers go on in k only), `each` to a
/// register.
inline RowAndColumn of_a(uint32_t lane, uint32_t reg, uint32_t i, uint32_t each) {
    return {lane / 4 + 8 * (reg & 1), lane % 4 * each + i + 4 * each * (reg >> 1)};
}
/// The same of B: row is k.
inline RowAndColumn of_b(uint32_t lane, uint32_t reg, uint32_t i, uint32_t each) {
    return {lane % 4 * each + i + 4 * each * reg, lane / 4};
}
/// Element `i` of an accumulator.
inline RowAndColumn of_accumulator(uint32_t lane, uint32_t i) {
    return {lane / 4 + 8 * (i >> 1 & 1), lane % 4 * 2 + (i & 1) + 8 * (i >> 2)};
}

} // namespace sim::instructions::tensor
