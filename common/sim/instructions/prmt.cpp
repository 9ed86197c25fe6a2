#include <algorithm>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::prmt {
namespace {

/// Byte `selector & 7` of [b:a]; bit 3 replicates the byte's sign instead.
uint32_t pick_byte(uint64_t both, uint32_t selector) {
    const auto byte = uint8_t(both >> (8 * (selector & 7)));
    return selector & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
}

uint32_t permute(uint64_t both, uint32_t s0, uint32_t s1, uint32_t s2, uint32_t s3) {
    return pick_byte(both, s0) | pick_byte(both, s1) << 8 | pick_byte(both, s2) << 16 | pick_byte(both, s3) << 24;
}

struct Generic {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        return permute(uint64_t{b} << 32 | a, c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15);
    }
};

/// The special modes: four byte numbers for each value of c's two low bits.
enum Mode { f4e, b4e, rc8, ecl, ecr, rc16 };
template <Mode mode>
struct Fixed {
    uint32_t operator()(uint32_t a, uint32_t b, uint32_t c) const {
        const uint64_t both = uint64_t{b} << 32 | a;
        const uint32_t n = c & 3;
        switch (mode) {
        case f4e: // forward 4 extract
            return permute(both, n, n + 1, n + 2, n + 3);
        case b4e: // backward 4 extract
            return permute(both, n, (n + 7) & 7, (n + 6) & 7, (n + 5) & 7);
        case rc8: // replicate 8
            return permute(both, n, n, n, n);
        case ecl: // edge clamp left
            return permute(both, std::max(n, 0u), std::max(n, 1u), std::max(n, 2u), 3);
        case ecr: // edge clamp right
            return permute(both, 0, std::min(n, 1u), std::min(n, 2u), n);
        default: // replicate 16
            return permute(both, n & 1 ? 2 : 0, n & 1 ? 3 : 1, n & 1 ? 2 : 0, n & 1 ? 3 : 1);
        }
    }
};

Handler decode(Decoder& d) {
    same_width(d, 4);
    const auto mode = d.value(".mode");
    return mode == ".f4e"    ? uniform<Fixed<f4e>, uint32_t, 3>
           : mode == ".b4e"  ? uniform<Fixed<b4e>, uint32_t, 3>
           : mode == ".rc8"  ? uniform<Fixed<rc8>, uint32_t, 3>
           : mode == ".ecl"  ? uniform<Fixed<ecl>, uint32_t, 3>
           : mode == ".ecr"  ? uniform<Fixed<ecr>, uint32_t, 3>
           : mode == ".rc16" ? uniform<Fixed<rc16>, uint32_t, 3>
                             : uniform<Generic, uint32_t, 3>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "prmt",
        .syntax = R"(
        prmt.b32{.mode} d, a, b, c;
        .mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "data-movement-and-conversion-instructions-prmt",
        .decode = decode,
    },
};

} // namespace sim::instructions::prmt
