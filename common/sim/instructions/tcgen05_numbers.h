// The number types of tcgen05's operands.
#pragma once

#include <cstdint>

#include "sim/instructions/binary16.h"
#include "sim/instructions/tcgen05_descriptor.h"

namespace sim::instructions::tcgen05 {

/// How elements of fewer than 8 bits are packed.
enum class Packing : uint8_t {
    padded,     ///< 16 elements, one behind the other, and padding up to 16 bytes: shared memory
    containers, ///< one to a byte: Tensor Memory. 4 bits are in bits 5-2, 6 bits in bits 5-0
    nibbles,    ///< two to a byte: .kind::mxf4 and ::mxf4nvf4
};

/// Decodes the elements in 16 bytes; returns how many there are, at most 32. All values are exact.
uint32_t decode(Format, Packing, const uint8_t bytes[16], float* to);

float from_ue8m0(uint8_t bits);
float from_ue4m3(uint8_t bits); ///< the sign bit does not count

inline float from_half(uint16_t bits) {
    return from_binary16(bits);
}
inline uint16_t to_half(float value) {
    return to_binary16(value);
}

} // namespace sim::instructions::tcgen05
