#include <cstdlib>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::fns {
namespace {

/// Position of the n-th set bit of a mask, counted from `base` upwards (n > 0) or downwards (n < 0).
struct FindNth {
    uint32_t operator()(uint32_t mask, uint32_t base, int32_t offset) const {
        base &= 31;
        if (offset == 0)
            return mask >> base & 1 ? base : ~0u;
        const int step = offset > 0 ? 1 : -1;
        int64_t left = std::abs(int64_t{offset});
        for (int at = int(base); at >= 0 && at < 32; at += step)
            if ((mask >> at & 1) && --left == 0)
                return uint32_t(at);
        return ~0u;
    }
};

Handler decode(Decoder& d) {
    same_width(d, 4);
    return lanewise<FindNth, uint32_t, uint32_t, uint32_t, int32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "fns",
        .syntax = R"(
        fns.b32 d, mask, base, offset;
)",
        .isa = 60,
        .sm = 30,
        .manual = "integer-arithmetic-instructions-fns",
        .decode = decode,
    },
};

} // namespace sim::instructions::fns
