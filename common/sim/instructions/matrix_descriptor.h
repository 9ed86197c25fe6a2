// The matrix descriptors of wgmma: where the elements of an operand are in shared memory. As an H200 reads them, which
// tests/sim/differential/descriptors.txt records.
#pragma once

#include <cstdint>
#include <string>

#include <fmt/format.h>

namespace sim::instructions::tensor {

struct MatrixDescriptor {
    explicit MatrixDescriptor(uint64_t bits)
        : start(field(bits)), leading(field(bits >> 16)), stride(field(bits >> 32)),
          base_offset(uint32_t(bits >> 49 & 7)), span(spans[bits >> 62]) {}

    uint32_t start, leading, stride; ///< bytes
    uint32_t base_offset;            ///< rows of 128 bytes
    uint32_t span;                   ///< of the swizzle, in bytes; 16: none

    /// For reports.
    std::string text() const {
        return fmt::format("It says: start {}, leading offset {}, stride offset {} bytes, {}. Its fields hold bytes "
                           "divided by 16",
                           start, leading, stride, span == 16 ? "no swizzle" : fmt::format("{}-byte swizzle", span));
    }
    /// Rows of 128 bytes after which the swizzle repeats.
    uint32_t period() const { return span / 16; }
    /// K-major: byte `at` of the 32 bytes that line `line` (a row of A, a column of B) has along k.
    uint32_t k_major(uint32_t line, uint32_t at) const {
        return swizzled(start + line / 8 * stride +
                        (span == 16 ? line % 8 * 16 + at / 16 * leading + at % 16 : line % 8 * span + at));
    }
    /// MN-major, which only 16-bit types have: element `k` of line `line`.
    uint32_t mn_major(uint32_t line, uint32_t k) const {
        const uint32_t at = line * 2;
        return swizzled(start + at % span + k % 8 * span +
                        (span == 16 ? at / 16 * stride + k / 8 * leading : at / span * leading + k / 8 * stride));
    }

  private:
    static constexpr uint32_t spans[] = {16, 128, 64, 32};
    static constexpr uint32_t reach = 0x3ffff; ///< addresses have 18 bits
    static uint32_t field(uint64_t bits) { return uint32_t(bits & 0x3fff) << 4; }
    /// Bits 4 and up are exchanged by the number of the row of 128 bytes in its period.
    uint32_t swizzled(uint32_t address) const {
        return (address ^ (((address >> 7) - base_offset) & (period() - 1)) << 4) & reach;
    }
};

} // namespace sim::instructions::tensor
