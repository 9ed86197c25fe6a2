#include "sim/instructions/atomic.h"

#include <fmt/format.h>

#include "sim/instructions/floating.h"
#include "sim/instructions/product.h"
#include "sim/instructions/reduction.h"

namespace sim::instructions {
namespace {

struct Add {
    template <class T>
    T operator()(T old, T b) const {
        if constexpr (std::is_integral_v<T>)
            return T(Wrapping<T>(old) + Wrapping<T>(b));
        else
            return old + b;
    }
    float operator()(float old, float b) const { return result<false, false>(old + b); }
};
/// atom.add.f32 on global memory flushes subnormals, on shared memory it does not.
struct FlushingAdd {
    float operator()(float old, float b) const { return result<true, false>(flush(old) + flush(b)); }
};
template <bool greater>
struct HalfExtreme {
    Exact operator()(Exact a, Exact b) const {
        if (a.value != a.value)
            return b;
        return (greater ? b.value > a.value : b.value < a.value) ? b : a;
    }
};
struct Exchange {
    template <class T>
    T operator()(T, T b) const {
        return b;
    }
};
struct CompareAndSwap {
    template <class T>
    T operator()(T old, T compare, T b) const {
        return old == compare ? b : old;
    }
};

/// The operation as events::Reduction; nullptr: its result is not one of those, or its order matters and it is rare.
template <class F, class T>
const events::Reduction* reduction() {
    using Floats = std::conditional_t<std::is_same_v<T, float>, FlushingAdd, Add>; // of global memory
    using Function = std::conditional_t<std::is_floating_point_v<T>, Floats, F>;
    constexpr bool adds = std::is_same_v<F, Add>, differs = std::is_same_v<F, Xor>;
    constexpr bool idempotent =
        std::is_same_v<F, And> || std::is_same_v<F, Or> || std::is_same_v<F, Min> || std::is_same_v<F, Max>;
    if constexpr ((std::is_integral_v<T> && (adds || differs || idempotent)) || (std::is_floating_point_v<T> && adds)) {
        static constexpr auto combine = []<class G>(G g, std::byte* to, const std::byte* operand) {
            T old, value;
            std::memcpy(&old, to, sizeof old);
            std::memcpy(&value, operand, sizeof value);
            old = g(old, value);
            std::memcpy(to, &old, sizeof old);
        };
        static constexpr events::Reduction record{
            sizeof(T), std::is_integral_v<T>,
            [](std::byte* to, const std::byte* operand) { combine(Function{}, to, operand); },
            [](std::byte* result, const std::byte* before) {
                if constexpr (std::is_integral_v<T> && adds)
                    combine([](T now, T then) { return T(Wrapping<T>(now) - Wrapping<T>(then)); }, result, before);
                else if constexpr (differs)
                    combine(Xor{}, result, before);
            }};
        return &record;
    }
    return nullptr;
}

/// Exchanges are how programs make locks. `failed`: it was a compare-and-swap that met another value.
template <class T>
void note_lock(Exec& x, uint32_t lane, const Resolved& r, T old, T updated, bool failed) {
    const std::byte* at = r.pointer[lane];
    if (failed || (old == updated && updated != T{}))
        x.warp.locks.want(lane, at, r.address[lane], r.shared >> lane & 1);
    else if (updated != T{})
        x.warp.locks.take(lane, at, x.pc());
    else
        x.warp.locks.release(lane, at);
}

template <class F, class T>
Flow read_modify_write(Exec& x, const Op& op) {
    const auto& atomic = *static_cast<const Atomic*>(op.extra);
    const auto bytes = uint32_t(sizeof(T) * atomic.source.count);
    Resolved r;
    if (!resolve(x, op, op.address, bytes, bytes, Direction::update, r))
        return Flow::fault;
    const bool one = atomic.source.count == 1;
    observe(x, op, r, Access::Kind::atomic, atomic.semantics, atomic.scope, bytes,
            one ? reinterpret_cast<const std::byte*>(x.lanes<T>(atomic.source.part[0])) : nullptr,
            one ? reduction<F, T>() : nullptr);
    bool changed = false;
    for_lanes(x.mask, [&](int lane) {
        for (uint32_t i = 0; i < atomic.source.count; ++i) {
            T old, updated;
            std::byte* at = r.pointer[lane] + i * sizeof old;
            std::memcpy(&old, at, sizeof old);
            const T b = x.lanes<T>(atomic.source.part[i])[lane];
            if constexpr (std::is_same_v<F, CompareAndSwap>)
                updated = F{}(old, b, x.lanes<T>(atomic.compare.part[i])[lane]);
            else if constexpr (std::is_same_v<T, float> && std::is_same_v<F, Add>)
                updated = r.global >> lane & 1 ? FlushingAdd{}(old, b) : Add{}(old, b);
            else
                updated = F{}(old, b);
            std::memcpy(at, &updated, sizeof updated);
            changed = changed || std::memcmp(&old, &updated, sizeof old);
            if constexpr (std::is_same_v<F, CompareAndSwap>)
                note_lock(x, uint32_t(lane), r, old, updated, old != b);
            else if constexpr (std::is_same_v<F, Exchange>)
                note_lock(x, uint32_t(lane), r, old, updated, false);
            if (atomic.result.part[i].exists())
                x.lanes<T>(atomic.result.part[i])[lane] = old;
        }
    });
    if (changed) // others may wait for that
        ++x.grid.activity;
    return Flow::next;
}

template <class F>
Handler halves(Type type) {
    if (type.kind == Kind::brain_float)
        return type.packed ? read_modify_write<BothHalves<Half<F, Brain, false, false>, uint16_t>, uint32_t>
                           : read_modify_write<Half<F, Brain, false, false>, uint16_t>;
    return type.packed ? read_modify_write<BothHalves<Half<F, Binary16, false, false>, uint16_t>, uint32_t>
                       : read_modify_write<Half<F, Binary16, false, false>, uint16_t>;
}

template <class F>
Handler bits(Type type) {
    return type.bits == 32   ? read_modify_write<F, uint32_t>
           : type.bits == 64 ? read_modify_write<F, uint64_t>
                             : nullptr;
}

template <class F>
Handler numbers(Type type) {
    if (type.bits == 32)
        return is_signed(type) ? read_modify_write<F, int32_t> : read_modify_write<F, uint32_t>;
    return is_signed(type) ? read_modify_write<F, int64_t> : read_modify_write<F, uint64_t>;
}

Handler find(std::string_view name, Type type) {
    const bool untyped = type.kind == Kind::bits, integer = !untyped && !is_float(type);
    if (name == ".and")
        return untyped ? bits<And>(type) : nullptr;
    if (name == ".or")
        return untyped ? bits<Or>(type) : nullptr;
    if (name == ".xor")
        return untyped ? bits<Xor>(type) : nullptr;
    if (name == ".exch")
        return !untyped ? nullptr : type.bits == 128 ? read_modify_write<Exchange, uint128> : bits<Exchange>(type);
    if (name == ".cas")
        return !untyped           ? nullptr
               : type.bits == 128 ? read_modify_write<CompareAndSwap, uint128>
               : type.bits == 16  ? read_modify_write<CompareAndSwap, uint16_t>
                                  : bits<CompareAndSwap>(type);
    if (name == ".inc")
        return integer && !is_signed(type) && type.bits == 32 ? read_modify_write<Increment, uint32_t> : nullptr;
    if (name == ".dec")
        return integer && !is_signed(type) && type.bits == 32 ? read_modify_write<Decrement, uint32_t> : nullptr;
    const bool half = is_float(type) && (type.bits == 16 || type.packed);
    if (name == ".add")
        return half              ? halves<Add>(type)
               : integer         ? numbers<Add>(type)
               : !is_float(type) ? nullptr
               : type.bits == 32 ? read_modify_write<Add, float>
                                 : read_modify_write<Add, double>;
    if (name == ".min")
        return half ? halves<HalfExtreme<false>>(type) : integer ? numbers<Min>(type) : nullptr;
    if (name == ".max")
        return half ? halves<HalfExtreme<true>>(type) : integer ? numbers<Max>(type) : nullptr;
    return nullptr;
}

} // namespace

Handler atomic_handler(Decoder& d, std::string_view name, Type type) {
    const Handler handler = find(name, type);
    if (!handler)
        d.fail(fmt::format("'{}': {} does not exist for this type", d.source.opcode, name));
    return handler;
}

} // namespace sim::instructions
