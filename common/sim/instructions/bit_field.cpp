#include <algorithm>

#include "sim/instructions/arithmetic.h"

namespace sim::instructions::bit_field {
namespace {

/// Bits pos .. pos+len-1 of a, sign-extended for signed types; positions past the top read as the sign.
struct Extract {
    template <class T>
    T operator()(T a, uint32_t position, uint32_t length) const {
        constexpr uint32_t bits = 8 * sizeof(T);
        const uint32_t pos = position & 0xff, len = length & 0xff;
        if (len == 0)
            return 0;
        const T fill = a < 0 ? T(-1) : T(0);
        const uint32_t top = std::min(pos + len - 1, bits - 1);
        using U = std::make_unsigned_t<T>;
        if (std::is_signed_v<T>) {
            if (pos >= bits)
                return fill;
            return T(T(U(a) << (bits - 1 - top)) >> (bits - 1 - top + pos));
        }
        if (pos >= bits)
            return 0;
        return T(U(U(a) << (bits - 1 - top)) >> (bits - 1 - top + pos));
    }
};

struct Insert {
    template <class T>
    T operator()(T a, T b, uint32_t position, uint32_t length) const {
        constexpr uint32_t bits = 8 * sizeof(T);
        const uint32_t pos = position & 0xff, len = length & 0xff;
        if (len == 0 || pos >= bits)
            return b;
        const T field = len >= bits ? ~T(0) : T((T(1) << len) - 1);
        return T((b & ~T(field << pos)) | T((a & field) << pos));
    }
};

Handler bfe(Decoder& d) {
    const Type type = d.type();
    d.op.d = destination(d, 0, bytes_of(type));
    d.op.a = d.read(1, bytes_of(type));
    d.op.b = d.read(2, 4);
    d.op.c = d.read(3, 4);
    return for_wide_integer(d, type, []<class T>() -> Handler { return lanewise<Extract, T, T, uint32_t, uint32_t>; });
}

Handler bfi(Decoder& d) {
    const Type type = d.type();
    d.op.d = destination(d, 0, bytes_of(type));
    d.op.a = d.read(1, bytes_of(type));
    d.op.b = d.read(2, bytes_of(type));
    d.op.c = d.read(3, 4);
    d.op.e = d.read(4, 4);
    return for_wide_integer(d, type,
                            []<class T>() -> Handler { return lanewise<Insert, T, T, T, uint32_t, uint32_t>; });
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "bfe",
        .syntax = R"(
        bfe.type d, a, b, c;
        .type = { .u32, .u64, .s32, .s64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-bfe",
        .decode = bfe,
    },
    {
        .name = "bfi",
        .syntax = R"(
        bfi.type f, a, b, c, d;
        .type = { .b32, .b64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "integer-arithmetic-instructions-bfi",
        .decode = bfi,
    },
};

} // namespace sim::instructions::bit_field
