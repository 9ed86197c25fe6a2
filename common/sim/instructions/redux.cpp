#include "sim/instructions/collective.h"
#include "sim/instructions/floating.h"

namespace sim::instructions::redux {
namespace {

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return T(uint32_t(a) + uint32_t(b));
    }
};
struct Min {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct Max {
    template <class T>
    T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};
struct And {
    template <class T>
    T operator()(T a, T b) const {
        return a & b;
    }
};
struct Or {
    template <class T>
    T operator()(T a, T b) const {
        return a | b;
    }
};
struct Xor {
    template <class T>
    T operator()(T a, T b) const {
        return a ^ b;
    }
};

template <class F, class T>
Flow reduce(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.e), [&](uint32_t) {
        const T* a = x.lanes<T>(op.a);
        T value = a[std::countr_zero(x.mask)];
        for_lanes(x.mask & (x.mask - 1), [&](int lane) { value = F{}(value, a[lane]); });
        for_lanes(x.mask, [&](int lane) { x.lanes<T>(op.d)[lane] = value; });
        rendezvous(x);
    });
}

/// -0 is less than +0, and a number wins over NaN unless .NaN is given.
template <bool greater, bool nan, bool absolute>
struct FloatExtreme {
    uint32_t operator()(uint32_t a, uint32_t b) const {
        const auto x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
        if (x != x || y != y)
            return nan ? canonical_nan : x != x ? b : a;
        if (x == y)
            return (a >> 31) == uint32_t(greater) ? b : a;
        return (greater ? x > y : x < y) ? a : b;
    }
    static uint32_t input(uint32_t a) { return absolute ? a & 0x7fffffff : a; }
};

template <class F>
Flow reduce_floats(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.e), [&](uint32_t) {
        const uint32_t* a = x.lanes<uint32_t>(op.a);
        uint32_t value = F::input(a[std::countr_zero(x.mask)]);
        for_lanes(x.mask & (x.mask - 1), [&](int lane) { value = F{}(value, F::input(a[lane])); });
        const auto number = std::bit_cast<float>(value);
        for_lanes(x.mask, [&](int lane) { x.lanes<uint32_t>(op.d)[lane] = number != number ? canonical_nan : value; });
        rendezvous(x);
    });
}

template <bool greater>
Handler of_floats(Decoder& d) {
    if (d.has(".abs"))
        return d.has(".NaN") ? reduce_floats<FloatExtreme<greater, true, true>>
                             : reduce_floats<FloatExtreme<greater, false, true>>;
    return d.has(".NaN") ? reduce_floats<FloatExtreme<greater, true, false>>
                         : reduce_floats<FloatExtreme<greater, false, false>>;
}

Handler decode(Decoder& d) {
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, 4);
    d.op.e = d.read(2, 4);
    if (d.has(".extreme")) {
        d.need("sm_100f", std::string(d.source.opcode));
        return d.value(".extreme") == ".max" ? of_floats<true>(d) : of_floats<false>(d);
    }
    const auto name = d.has(".bits") ? d.value(".bits") : d.value(".op");
    const bool s = is_signed(last_type(d));
    return name == ".add"   ? reduce<Add, uint32_t>
           : name == ".min" ? (s ? reduce<Min, int32_t> : reduce<Min, uint32_t>)
           : name == ".max" ? (s ? reduce<Max, int32_t> : reduce<Max, uint32_t>)
           : name == ".and" ? reduce<And, uint32_t>
           : name == ".or"  ? reduce<Or, uint32_t>
                            : reduce<Xor, uint32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "redux.sync",
        .syntax = R"(
        redux.sync.op.type d, a, membermask;
        redux.sync.bits.b32 d, a, membermask;
        redux.sync.extreme{.abs}{.NaN}.f32 d, a, membermask;
        .op = { .add, .min, .max };
        .bits = { .and, .or, .xor };
        .extreme = { .min, .max };
        .type = { .u32, .s32 };
)",
        .isa = 70,
        .sm = 80,
        .manual = "parallel-synchronization-and-communication-instructions-redux-sync",
        .decode = decode,
        .use = Use::sink,
    },
};

} // namespace sim::instructions::redux
