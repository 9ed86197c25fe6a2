#include "sim/instructions/arithmetic.h"

namespace sim::instructions::sad {
namespace {

struct SumOfDifference {
    template <class T>
    T operator()(T a, T b, T c) const {
        using W = Wrapping<T>;
        return T(W(c) + (a < b ? W(b) - W(a) : W(a) - W(b)));
    }
};

Handler decode(Decoder& d) {
    return integer<SumOfDifference, 3>(d, d.type());
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "sad",
        .syntax = R"(
        sad.type d, a, b, c;
        .type = { .u16, .u32, .u64, .s16, .s32, .s64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "integer-arithmetic-instructions-sad",
        .decode = decode,
    },
};

} // namespace sim::instructions::sad
