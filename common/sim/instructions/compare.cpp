#include "sim/instructions/compare.h"

#include <fmt/format.h>

namespace sim::instructions {
namespace {

struct Equal {
    template <class T>
    bool operator()(T a, T b) const {
        return a == b;
    }
};
struct NotEqual {
    template <class T>
    bool operator()(T a, T b) const {
        return a < b || a > b;
    }
};
struct Less {
    template <class T>
    bool operator()(T a, T b) const {
        return a < b;
    }
};
struct LessEqual {
    template <class T>
    bool operator()(T a, T b) const {
        return a <= b;
    }
};
struct Greater {
    template <class T>
    bool operator()(T a, T b) const {
        return a > b;
    }
};
struct GreaterEqual {
    template <class T>
    bool operator()(T a, T b) const {
        return a >= b;
    }
};
struct Ordered {
    template <class T>
    bool operator()(T a, T b) const {
        return a == a && b == b;
    }
};
/// The unordered comparisons are also true when an operand is NaN: the opposite ordered comparison is false.
template <class F>
struct Opposite {
    template <class T>
    bool operator()(T a, T b) const {
        return !F{}(a, b);
    }
};

/// How lanes of storage type `Store` are read for comparing.
template <class T, bool ftz>
struct Plain {
    using Store = T;
    static T load(T value) {
        if constexpr (std::is_same_v<T, float>)
            return input<ftz>(value);
        else
            return value;
    }
};
template <class Format, bool ftz>
struct Sixteen {
    using Store = uint16_t;
    static double load(uint16_t bits) { return Format::template load<ftz>(bits); }
};
template <class Format, bool ftz, int which>
struct OneHalf {
    using Store = uint32_t;
    static double load(uint32_t bits) { return Format::template load<ftz>(uint16_t(bits >> (16 * which))); }
};

template <class F, class View>
uint32_t compare(Exec& x, const Op& op) {
    using Store = typename View::Store;
    return mask_lanes([](Store a, Store b) { return F{}(View::load(a), View::load(b)); }, x.lanes<Store>(op.a),
                      x.lanes<Store>(op.b));
}

template <class View>
Compare floats(std::string_view name) {
    static constexpr std::pair<std::string_view, Compare> table[] = {{".eq", compare<Equal, View>},
                                                                     {".ne", compare<NotEqual, View>},
                                                                     {".lt", compare<Less, View>},
                                                                     {".le", compare<LessEqual, View>},
                                                                     {".gt", compare<Greater, View>},
                                                                     {".ge", compare<GreaterEqual, View>},
                                                                     {".equ", compare<Opposite<NotEqual>, View>},
                                                                     {".neu", compare<Opposite<Equal>, View>},
                                                                     {".ltu", compare<Opposite<GreaterEqual>, View>},
                                                                     {".leu", compare<Opposite<Greater>, View>},
                                                                     {".gtu", compare<Opposite<LessEqual>, View>},
                                                                     {".geu", compare<Opposite<Less>, View>},
                                                                     {".num", compare<Ordered, View>},
                                                                     {".nan", compare<Opposite<Ordered>, View>}};
    for (const auto& [key, handler] : table)
        if (key == name)
            return handler;
    return nullptr;
}

template <class T>
Compare integers(std::string_view name, bool bits) {
    using View = Plain<T, false>;
    if (name == ".eq")
        return compare<Equal, View>;
    if (name == ".ne")
        return compare<NotEqual, View>;
    if (bits)
        return nullptr;
    if (name == ".lt" || (name == ".lo" && std::is_unsigned_v<T>))
        return compare<Less, View>;
    if (name == ".le" || (name == ".ls" && std::is_unsigned_v<T>))
        return compare<LessEqual, View>;
    if (name == ".gt" || (name == ".hi" && std::is_unsigned_v<T>))
        return compare<Greater, View>;
    if (name == ".ge" || (name == ".hs" && std::is_unsigned_v<T>))
        return compare<GreaterEqual, View>;
    return nullptr;
}

Compare find(std::string_view name, Type type, bool ftz) {
    if (type.kind == Kind::brain_float)
        return floats<Sixteen<Brain, false>>(name);
    if (type.kind == Kind::floating && type.bits == 16)
        return ftz ? floats<Sixteen<Binary16, true>>(name) : floats<Sixteen<Binary16, false>>(name);
    if (type.kind == Kind::floating && type.bits == 32)
        return ftz ? floats<Plain<float, true>>(name) : floats<Plain<float, false>>(name);
    if (type.kind == Kind::floating)
        return floats<Plain<double, false>>(name);
    const bool s = is_signed(type), bits = type.kind == Kind::bits;
    if (type.bits == 16)
        return s ? integers<int16_t>(name, bits) : integers<uint16_t>(name, bits);
    if (type.bits == 32)
        return s ? integers<int32_t>(name, bits) : integers<uint32_t>(name, bits);
    return s ? integers<int64_t>(name, bits) : integers<uint64_t>(name, bits);
}

} // namespace

Compare comparison(Decoder& d, std::string_view name, Type type, bool ftz) {
    const Compare found = find(name, type, ftz);
    if (!found)
        d.fail(fmt::format("'{}': {} does not compare this type", d.source.opcode, name));
    return found;
}

Compare half_comparison(Decoder& d, std::string_view name, Type type, bool ftz, int which) {
    Compare found;
    if (type.kind == Kind::brain_float)
        found = which ? floats<OneHalf<Brain, false, 1>>(name) : floats<OneHalf<Brain, false, 0>>(name);
    else if (ftz)
        found = which ? floats<OneHalf<Binary16, true, 1>>(name) : floats<OneHalf<Binary16, true, 0>>(name);
    else
        found = which ? floats<OneHalf<Binary16, false, 1>>(name) : floats<OneHalf<Binary16, false, 0>>(name);
    if (!found)
        d.fail(fmt::format("'{}': {} does not compare this type", d.source.opcode, name));
    return found;
}

Combine combination(const Decoder& d) {
    const auto name = d.value(".BoolOp");
    return name.empty()     ? Combine::none
           : name == ".and" ? Combine::with_and
           : name == ".or"  ? Combine::with_or
                            : Combine::with_xor;
}

} // namespace sim::instructions
