#include "sim/instructions/collective.h"

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

Handler decode(Decoder& d) {
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, 4);
    d.op.e = d.read(2, 4);
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
        .op = { .add, .min, .max };
        .bits = { .and, .or, .xor };
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
