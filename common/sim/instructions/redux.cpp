#include "sim/instructions/collective.h"

namespace sim::instructions {
namespace {

struct ReduxAdd {
    template <class T>
    T operator()(T a, T b) const {
        return T(uint32_t(a) + uint32_t(b));
    }
};
struct ReduxMin {
    template <class T>
    T operator()(T a, T b) const {
        return b < a ? b : a;
    }
};
struct ReduxMax {
    template <class T>
    T operator()(T a, T b) const {
        return b > a ? b : a;
    }
};
struct ReduxAnd {
    template <class T>
    T operator()(T a, T b) const {
        return a & b;
    }
};
struct ReduxOr {
    template <class T>
    T operator()(T a, T b) const {
        return a | b;
    }
};
struct ReduxXor {
    template <class T>
    T operator()(T a, T b) const {
        return a ^ b;
    }
};

template <class F, class T>
Flow run_redux(Exec& x, const Op& op) {
    return collective(x, op, x.lanes<uint32_t>(op.e), [&](uint32_t) {
        const T* a = x.lanes<T>(op.a);
        T value = a[std::countr_zero(x.mask)];
        for_lanes(x.mask & (x.mask - 1), [&](int lane) { value = F{}(value, a[lane]); });
        for_lanes(x.mask, [&](int lane) { x.lanes<T>(op.d)[lane] = value; });
        rendezvous(x);
    });
}

Handler decode_redux(Decoder& d) {
    d.op.d = destination(d, 0, 4);
    d.op.a = d.read(1, 4);
    d.op.e = d.read(2, 4);
    const auto name = d.has(".bits") ? d.value(".bits") : d.value(".op");
    const bool s = is_signed(last_type(d));
    return name == ".add"   ? run_redux<ReduxAdd, uint32_t>
           : name == ".min" ? (s ? run_redux<ReduxMin, int32_t> : run_redux<ReduxMin, uint32_t>)
           : name == ".max" ? (s ? run_redux<ReduxMax, int32_t> : run_redux<ReduxMax, uint32_t>)
           : name == ".and" ? run_redux<ReduxAnd, uint32_t>
           : name == ".or"  ? run_redux<ReduxOr, uint32_t>
                            : run_redux<ReduxXor, uint32_t>;
}

} // namespace

INSTRUCTIONS(redux) = {{
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
    .decode = decode_redux,
    .use = Use::sink,
}};

} // namespace sim::instructions
