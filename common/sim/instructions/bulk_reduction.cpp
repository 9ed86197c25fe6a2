#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "sim/instructions/bulk_operands.h"
#include "sim/instructions/half.h"
#include "sim/instructions/reduction.h"

namespace sim::instructions {
namespace {

template <class T, class F>
void each(std::byte* into, const std::byte* from, uint32_t bytes) {
    for (uint32_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
        T a, b;
        std::memcpy(&a, into + i, sizeof(T));
        std::memcpy(&b, from + i, sizeof(T));
        a = F{}(a, b);
        std::memcpy(into + i, &a, sizeof(T));
    }
}

struct Sum {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) // sums wrap
            return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
        else
            return a + b;
    }
};
// What sums of NaN are was measured (docs/fidelity.md): in float32 one pattern, in float64 the NaN itself.
template <>
float Sum::operator()(float a, float b) const {
    return std::isnan(a + b) ? std::bit_cast<float>(0x7fffffffu) : a + b;
}
template <>
double Sum::operator()(double a, double b) const {
    return std::isnan(b) ? b : std::isnan(a) ? a : a + b;
}
/// float32 with subnormal numbers flushed to zero.
struct FlushedSum {
    static float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
    float operator()(float a, float b) const { return flushed(Sum{}(flushed(a), flushed(b))); }
};

template <class Format, class F>
void each_half(std::byte* into, const std::byte* from, uint32_t bytes) {
    for (uint32_t i = 0; i + 2 <= bytes; i += 2) {
        uint16_t a, b;
        std::memcpy(&a, into + i, 2);
        std::memcpy(&b, from + i, 2);
        const float first = Format::template load<false>(a), second = Format::template load<false>(b);
        const bool chooses = !std::is_same_v<F, Sum>; // a minimum or maximum ignores a NaN, and -0 < +0
        if (chooses && first == 0 && second == 0)
            a = uint16_t(std::is_same_v<F, Min> ? a | b : a & b);
        else
            a = Format::template store<false>(chooses && std::isnan(first)    ? second
                                              : chooses && std::isnan(second) ? first
                                                                              : F{}(first, second));
        std::memcpy(into + i, &a, 2);
    }
}

template <class T>
async::Reduce integer(std::string_view operation) {
    if (operation == ".add")
        return each<T, Sum>;
    if (operation == ".min")
        return each<T, Min>;
    if (operation == ".max")
        return each<T, Max>;
    if (operation == ".and")
        return each<T, And>;
    if (operation == ".or")
        return each<T, Or>;
    if (operation == ".xor")
        return each<T, Xor>;
    if (operation == ".inc")
        return each<T, Increment>;
    if (operation == ".dec")
        return each<T, Decrement>;
    return nullptr;
}

template <class Format>
async::Reduce half(std::string_view operation) {
    if (operation == ".add")
        return each_half<Format, Sum>;
    if (operation == ".min")
        return each_half<Format, Min>;
    if (operation == ".max")
        return each_half<Format, Max>;
    return nullptr;
}

template <class T>
async::Reduce floating_point(std::string_view operation) {
    return operation == ".add" ? each<T, Sum> : nullptr;
}

/// nullptr: there is no such reduction.
async::Reduce find_reduction(std::string_view operation, Type type) {
    const bool s = is_signed(type);
    if (type.kind == Kind::floating)
        return type.bits == 16   ? half<Binary16>(operation)
               : type.bits == 32 ? floating_point<float>(operation)
               : type.bits == 64 ? floating_point<double>(operation)
                                 : nullptr;
    if (type.kind == Kind::brain_float)
        return half<Brain>(operation);
    if (type.bits == 32)
        return s ? integer<int32_t>(operation) : integer<uint32_t>(operation);
    if (type.bits == 64)
        return s ? integer<int64_t>(operation) : integer<uint64_t>(operation);
    return nullptr;
}

} // namespace

async::Reduce bulk_reduction(Decoder& d, std::string_view operation, Type type) {
    const bool logic = operation == ".and" || operation == ".or" || operation == ".xor";
    const bool counts = operation == ".inc" || operation == ".dec";
    const bool wide_sum = operation == ".add" && type.kind == Kind::signed_int && type.bits == 64;
    const bool u32 = type.kind == Kind::unsigned_int && type.bits == 32;
    const async::Reduce result = find_reduction(operation, type);
    if (!result || logic != (type.kind == Kind::bits) || (counts && !u32) || wide_sum)
        d.fail(fmt::format("{}: no such reduction", d.source.opcode));
    return result;
}

async::Reduce tensor_reduction(std::string_view operation, async::ElementType type) {
    using E = async::ElementType;
    const bool bitwise = operation == ".and" || operation == ".or" || operation == ".xor";
    const bool counts = operation == ".inc" || operation == ".dec";
    if ((counts && type != E::u32) ||
        (type == E::s64 && (bitwise || operation == ".add"))) // measured: docs/fidelity.md
        return nullptr;
    Type as;
    as.bits = uint8_t(8 * async::element_bytes(type));
    as.kind = type == E::bf16                    ? Kind::brain_float
              : async::is_floating(type)         ? Kind::floating
              : type == E::s32 || type == E::s64 ? Kind::signed_int
                                                 : Kind::unsigned_int;
    if (type == E::f32_ftz || type == E::tf32_ftz)
        return operation == ".add" ? each<float, FlushedSum> : nullptr;
    return find_reduction(operation, as);
}

} // namespace sim::instructions
