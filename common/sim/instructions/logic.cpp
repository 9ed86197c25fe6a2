#include "sim/instructions/arithmetic.h"

namespace sim::instructions::logic {
namespace {

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
struct Not {
    template <class T>
    T operator()(T a) const {
        return T(~a);
    }
};
struct LogicalNot {
    template <class T>
    T operator()(T a) const {
        return a == 0;
    }
};

/// Predicates are lane masks: one operation for the warp.
template <class F, size_t N>
Flow on_predicates(Exec& x, const Op& op) {
    const uint32_t a = x.predicate(op.a, uint32_t(op.imm));
    if constexpr (N == 1)
        x.set_predicate(op.d, F{}(a));
    else
        x.set_predicate(op.d, F{}(a, x.predicate(op.b, uint32_t(op.imm >> 32))));
    return Flow::next;
}

template <class F, size_t N>
Handler decode_binary(Decoder& d) {
    if (d.type().kind != Kind::predicate)
        return integer<F, N>(d, d.type());
    uint32_t first = 0, second = 0;
    d.op.d = predicate_destination(d, d.operand(0));
    d.op.a = d.predicate(1, first);
    if (N == 2)
        d.op.b = d.predicate(2, second);
    d.op.imm = first | uint64_t{second} << 32;
    // In the order in which a program writes them: `first && second`.
    if (std::is_same_v<F, And> || std::is_same_v<F, Or>)
        d.op.use = std::is_same_v<F, And> ? Use::where : Use::unless;
    return on_predicates<F, N>;
}

Handler cnot(Decoder& d) {
    return integer<LogicalNot, 1>(d, d.type());
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "and",
        .syntax = R"(
        and.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-and",
        .decode = decode_binary<And, 2>,
    },
    {
        .name = "or",
        .syntax = R"(
        or.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-or",
        .decode = decode_binary<Or, 2>,
    },
    {
        .name = "xor",
        .syntax = R"(
        xor.type d, a, b;
        .type = { .pred, .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-xor",
        .decode = decode_binary<Xor, 2>,
    },
    {
        .name = "not",
        .syntax = R"(
        not.type d, a;
        .type = { .pred, .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-not",
        .decode = decode_binary<Not, 1>,
    },
    {
        .name = "cnot",
        .syntax = R"(
        cnot.type d, a;
        .type = { .b16, .b32, .b64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "logic-and-shift-instructions-cnot",
        .decode = cnot,
    },
};

} // namespace sim::instructions::logic
