#include "sim/instructions/arithmetic.h"

namespace sim::instructions::rem {
namespace {

/// As for div: by zero all ones, INT_MIN % -1 is 0.
struct Remainder {
    template <class T>
    T operator()(T a, T b) const {
        if (b == 0)
            return T(-1);
        if (std::is_signed_v<T> && b == T(-1))
            return 0;
        return T(a % b);
    }
};

Handler decode(Decoder& d) {
    return integer<Remainder, 2>(d, d.type());
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "rem",
        .syntax = R"(
        rem.type d, a, b;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-rem",
        .decode = decode,
    },
};

} // namespace sim::instructions::rem
