#include "sim/instructions/floating.h"

namespace sim::instructions::testp {
namespace {

struct Finite {
    template <class T>
    bool operator()(T a) const {
        return std::isfinite(a);
    }
};
struct Infinite {
    template <class T>
    bool operator()(T a) const {
        return std::isinf(a);
    }
};
struct Number {
    template <class T>
    bool operator()(T a) const {
        return a == a;
    }
};
struct NotNumber {
    template <class T>
    bool operator()(T a) const {
        return a != a;
    }
};
struct Normal {
    template <class T>
    bool operator()(T a) const {
        return std::isnormal(a);
    }
};
struct Subnormal {
    template <class T>
    bool operator()(T a) const {
        return a != 0 && std::fabs(a) < std::numeric_limits<T>::min();
    }
};

template <class F, class T>
Flow test(Exec& x, const Op& op) {
    x.set_predicate(op.d, mask_lanes(F{}, x.lanes<T>(op.a)));
    return Flow::next;
}

template <class T>
Handler pick(Decoder& d) {
    const auto property = d.value(".op");
    return property == ".finite"       ? test<Finite, T>
           : property == ".infinite"   ? test<Infinite, T>
           : property == ".number"     ? test<Number, T>
           : property == ".notanumber" ? test<NotNumber, T>
           : property == ".normal"     ? test<Normal, T>
                                       : test<Subnormal, T>;
}

Handler decode(Decoder& d) {
    d.op.d = predicate_destination(d, d.operand(0));
    d.op.a = d.read(1, bytes_of(d.type()));
    return d.type().bits == 64 ? pick<double>(d) : pick<float>(d);
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "testp",
        .syntax = R"(
        testp.op.type p, a;
        .op = { .finite, .infinite, .number, .notanumber, .normal, .subnormal };
        .type = { .f32, .f64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "floating-point-instructions-testp",
        .decode = decode,
    },
};

} // namespace sim::instructions::testp
