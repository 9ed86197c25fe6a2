#include "sim/instructions/carry.h"
#include "sim/instructions/product.h"

namespace sim::instructions::add_carry {

OperandRef carry_flag(Decoder& d) {
    DecodedFunction& function = d.function();
    if (!function.carry.exists()) {
        function.carry = OperandRef::in(OperandRef::frame, function.frame_bytes);
        function.frame_bytes += 64;
    }
    return function.carry;
}

namespace {

enum class CarryMode { add, subtract, multiply_low, multiply_high };

/// d = a + b + carry, a - b - carry, or part of a * b, + c + carry. The flag is op.e; the third source op.c.
template <class T, CarryMode mode, bool reads, bool writes>
Flow with_carry(Exec& x, const Op& op) {
    using U = std::make_unsigned_t<T>;
    U* d = x.lanes<U>(op.d);
    const U *a = x.lanes<U>(op.a), *b = x.lanes<U>(op.b);
    const uint32_t carries = x.predicate(op.e);
    uint32_t out = 0;
    for_lanes(x.mask, [&](int lane) {
        const U in = reads ? U(carries >> lane & 1) : U(0);
        U left = a[lane], right = b[lane];
        if constexpr (mode == CarryMode::multiply_low)
            left = U(left * right), right = x.lanes<U>(op.c)[lane];
        if constexpr (mode == CarryMode::multiply_high)
            left = U(HighProduct{}(T(left), T(right))), right = x.lanes<U>(op.c)[lane];
        U result, half;
        bool carry;
        if constexpr (mode == CarryMode::subtract)
            carry = __builtin_sub_overflow(left, right, &half) | __builtin_sub_overflow(half, in, &result);
        else
            carry = __builtin_add_overflow(left, right, &half) | __builtin_add_overflow(half, in, &result);
        d[lane] = result;
        out |= uint32_t(carry) << lane;
    });
    if (writes)
        x.set_predicate(op.e, out);
    return Flow::next;
}

template <CarryMode mode>
Handler pick(Decoder& d, bool reads, bool writes) {
    const Type type = last_type(d);
    same_width(d, bytes_of(type));
    d.op.e = carry_flag(d);
    const auto of = [&]<class T>() -> Handler {
        if (reads)
            return writes ? with_carry<T, mode, true, true> : with_carry<T, mode, true, false>;
        return with_carry<T, mode, false, true>;
    };
    if (mode == CarryMode::multiply_high && is_signed(type))
        return type.bits == 64 ? of.template operator()<int64_t>() : of.template operator()<int32_t>();
    return type.bits == 64 ? of.template operator()<uint64_t>() : of.template operator()<uint32_t>();
}

template <CarryMode mode, bool reads>
Handler decode(Decoder& d) {
    return pick<mode>(d, reads, !reads || d.has(".cc"));
}

Handler madc(Decoder& d) {
    return carry_multiply_add(d, last_type(d), true, d.has(".cc"));
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "add.cc",
        .syntax = R"(
        add.cc.type d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
)",
        .isa = 12,
        .sm = 0,
        .manual = "extended-precision-arithmetic-instructions-add-cc",
        .decode = decode<CarryMode::add, false>,
    },
    {
        .name = "addc",
        .syntax = R"(
        addc{.cc}.type d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
)",
        .isa = 12,
        .sm = 0,
        .manual = "extended-precision-arithmetic-instructions-addc",
        .decode = decode<CarryMode::add, true>,
    },
    {
        .name = "sub.cc",
        .syntax = R"(
        sub.cc.type d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
)",
        .isa = 12,
        .sm = 0,
        .manual = "extended-precision-arithmetic-instructions-sub-cc",
        .decode = decode<CarryMode::subtract, false>,
    },
    {
        .name = "subc",
        .syntax = R"(
        subc{.cc}.type d, a, b;
        .type = { .u32, .s32, .u64, .s64 };
)",
        .isa = 12,
        .sm = 0,
        .manual = "extended-precision-arithmetic-instructions-subc",
        .decode = decode<CarryMode::subtract, true>,
    },
    {
        .name = "madc",
        .syntax = R"(
        madc.mode{.cc}.type d, a, b, c;
        .mode = { .hi, .lo };
        .type = { .u32, .s32, .u64, .s64 };
)",
        .isa = 30,
        .sm = 20,
        .manual = "extended-precision-arithmetic-instructions-madc",
        .decode = madc,
    },
};

} // namespace sim::instructions::add_carry

namespace sim::instructions {

Handler carry_multiply_add(Decoder& d, Type, bool reads, bool writes) {
    return d.value(".mode") == ".hi" ? add_carry::pick<add_carry::CarryMode::multiply_high>(d, reads, writes)
                                     : add_carry::pick<add_carry::CarryMode::multiply_low>(d, reads, writes);
}

} // namespace sim::instructions
