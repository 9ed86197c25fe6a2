#include "sim/instructions/arithmetic.h"

namespace sim::instructions::bit_count {
namespace {

struct Population {
    template <class T>
    uint32_t operator()(T a) const {
        return uint32_t(std::popcount(std::make_unsigned_t<T>(a)));
    }
};

struct LeadingZeros {
    template <class T>
    uint32_t operator()(T a) const {
        return uint32_t(std::countl_zero(std::make_unsigned_t<T>(a)));
    }
};

/// Position of the most significant bit that differs from the sign (or is 1, unsigned); all ones if there is none.
/// .shiftamt: the shift that moves it to the top instead.
template <bool shift>
struct FindBit {
    template <class T>
    uint32_t operator()(T a) const {
        using U = std::make_unsigned_t<T>;
        const U bits = a < 0 ? U(~U(a)) : U(a);
        const auto zeros = uint32_t(std::countl_zero(bits));
        if (bits == 0)
            return ~0u;
        return shift ? zeros : 8 * sizeof(T) - 1 - zeros;
    }
};

template <class F>
Handler count(Decoder& d) {
    const Type type = last_type(d);
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, bytes_of(type));
    return for_wide_integer(d, type, []<class T>() -> Handler { return lanewise<F, uint32_t, T>; });
}

Handler bfind(Decoder& d) {
    return d.has(".shiftamt") ? count<FindBit<true>>(d) : count<FindBit<false>>(d);
}

struct Reverse {
    template <class T>
    T operator()(T a) const {
        T out = 0;
        for (unsigned i = 0; i < 8 * sizeof(T); ++i, a >>= 1)
            out = T(out << 1 | (a & 1));
        return out;
    }
};

Handler brev(Decoder& d) {
    same_width(d, bytes_of(d.type()));
    return for_wide_integer(d, d.type(), []<class T>() -> Handler { return uniform<Reverse, T, 1>; });
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "popc",
        .syntax = R"(
        popc.type d, a;
        .type = { .b32, .b64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-popc",
        .decode = count<Population>,
    },
    {
        .name = "clz",
        .syntax = R"(
        clz.type d, a;
        .type = { .b32, .b64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-clz",
        .decode = count<LeadingZeros>,
    },
    {
        .name = "bfind",
        .syntax = R"(
        bfind{.shiftamt}.type d, a;
        .type = { .u32, .u64, .s32, .s64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-bfind",
        .decode = bfind,
    },
    {
        .name = "brev",
        .syntax = R"(
        brev.type d, a;
        .type = { .b32, .b64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-brev",
        .decode = brev,
    },
};

} // namespace sim::instructions::bit_count
