// The matrix descriptors of wgmma and tcgen05: where the elements of an operand are in shared memory. Those of wgmma as
// an H200 reads them, which tests/sim/differential/descriptors.txt records.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace sim::instructions::tensor {

struct MatrixDescriptor {
    /// Of wgmma.
    explicit MatrixDescriptor(uint64_t bits) : MatrixDescriptor(bits, spans[bits >> 62]) {}
    /// Of tcgen05 (PTX ISA, "Shared memory descriptor"); see tcgen05::wrong() for what it must not contain.
    static MatrixDescriptor tcgen05(uint64_t bits) {
        constexpr uint32_t modes[] = {16, 128, 128, 16, 64, 16, 32, 16};
        return {bits, modes[bits >> 61], bits >> 61 == 1 ? 32u : 16u};
    }

    uint32_t start, leading, stride; ///< bytes
    uint32_t base_offset;            ///< rows of 128 bytes
    uint32_t span;                   ///< of the swizzle, in bytes; 16: none
    uint32_t atom = 16;              ///< bytes that the swizzle moves together

    /// For reports.
    std::string text() const {
        return fmt::format("It says: start {}, leading offset {}, stride offset {} bytes, {}. Its fields hold bytes "
                           "divided by 16",
                           start, leading, stride, span == 16 ? "no swizzle" : fmt::format("{}-byte swizzle", span));
    }
    /// Rows of 128 bytes after which the swizzle repeats.
    uint32_t period() const { return span / atom; }
    /// K-major: byte `at` of what line `line` (a row of A, a column of B) has along k.
    uint32_t k_major(uint32_t line, uint32_t at) const {
        return swizzled(start + line / 8 * stride +
                        (span == 16 ? line % 8 * 16 + at / 16 * leading + at % 16 : line % 8 * span + at));
    }
    /// MN-major: byte `at` along the lines, at element `k`.
    uint32_t mn_major(uint32_t at, uint32_t k) const {
        const uint32_t rows = atom == 32 ? 4 : 8; // of an atom of the layout
        return swizzled(start + at % span + k % rows * span +
                        (span == 16 ? at / 16 * stride + k / 8 * leading : at / span * leading + k / rows * stride));
    }

  private:
    MatrixDescriptor(uint64_t bits, uint32_t swizzle, uint32_t together = 16)
        : start(field(bits)), leading(field(bits >> 16)), stride(field(bits >> 32)),
          base_offset(uint32_t(bits >> 49 & 7)), span(swizzle), atom(together) {}
    static constexpr uint32_t spans[] = {16, 128, 64, 32};
    static constexpr uint32_t reach = 0x3ffff; ///< addresses have 18 bits
    static uint32_t field(uint64_t bits) { return uint32_t(bits & 0x3fff) << 4; }
    /// The bits above an atom are exchanged by the number of the row of 128 bytes in its period.
    uint32_t swizzled(uint32_t address) const {
        return (address ^ (((address >> 7) - base_offset) & (period() - 1)) * atom) & reach;
    }
};

} // namespace sim::instructions::tensor
