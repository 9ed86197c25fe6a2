#include <algorithm>

#include "sim/instructions/memory_operands.h"
#include "sim/instructions/product.h"
#include "sim/instructions/staging.h"

namespace sim::instructions::st {
namespace {

struct Store {
    DataOperand data;
    ParameterPlace place;
    bool staged = false; ///< the value comes straight from global memory
};

/// Puts the lanes' values, `bytes` each in all, side by side.
template <class T, class Register>
void collect(Exec& x, const DataOperand& data, std::byte* out, size_t stride) {
    for (uint32_t i = 0; i < data.count; ++i) {
        if (!data.part[i].exists())
            continue;
        const Register* s = x.lanes<Register>(data.part[i]);
        for_lanes(x.mask, [&](int lane) {
            const auto value = T(s[lane]);
            std::memcpy(out + size_t(lane) * stride + i * sizeof value, &value, sizeof value);
        });
    }
}

template <class T, class Register>
Flow store_data(Exec& x, const Op& op) {
    const auto& store = *static_cast<const Store*>(op.extra);
    const DataOperand& data = store.data;
    const auto bytes = uint32_t(sizeof(T) * data.count);
    Resolved r;
    if (!resolve(x, op, op.address, bytes, bytes, Direction::store, r))
        return Flow::fault;
    if (x.listener) {
        std::byte collected[32 * most_vector_bytes];
        const std::byte* values = collected;
        if (sizeof(T) == sizeof(Register) && data.count == 1) // they are side by side already
            values = reinterpret_cast<const std::byte*>(x.lanes<Register>(data.part[0]));
        else
            collect<T, Register>(x, data, collected, bytes);
        observe(x, op, r, Access::Kind::store, Semantics(op.flags >> 4), Scope(op.flags & 15), bytes, values);
    }
    for (uint32_t i = 0; i < data.count; ++i) {
        const Register* s = x.lanes<Register>(data.part[i]);
        for_lanes(x.mask, [&](int lane) {
            const auto value = T(s[lane]);
            std::memcpy(r.pointer[lane] + i * sizeof value, &value, sizeof value);
        });
    }
    count_banks(x, op, data, r, bytes);
    if (store.staged && r.shared)
        x.grid.statistics.staged_bytes += uint64_t{bytes} * uint32_t(std::popcount(r.shared));
    if (r.global | r.shared)
        ++x.grid.activity;
    return Flow::next;
}

template <class T, class Register>
Flow store_parameter(Exec& x, const Op& op) {
    const auto& store = *static_cast<const Store*>(op.extra);
    collect<T, Register>(x, store.data, x.base[OperandRef::frame] + store.place.area + store.place.offset,
                         store.place.stride);
    return Flow::next;
}

template <class T, class Register>
Handler pick(Decoder& d) {
    return names_parameter(d, 0) ? store_parameter<T, Register> : store_data<T, Register>;
}

Handler decode(Decoder& d) {
    const Type type = d.type();
    Store store;
    store.data = stored(d, 1, bytes_of(type));
    d.op.width = bytes_of(type) * store.data.count;
    if (names_parameter(d, 0)) {
        store.place = parameter_place(d, d.operand(0), d.op.width);
        if (store.place.kernel)
            d.fail("a kernel cannot write its parameters");
        d.op.use = Use::propagate; // nothing has happened to the value yet
    } else {
        d.op.address = d.address(0, d.space(".ss"));
        store.staged = comes_from_global(d, 1);
    }
    d.op.flags = uint8_t(uint32_t(semantics(d)) << 4 | uint32_t(scope(d, Scope::sys)));
    d.op.extra = d.keep(store);
    switch (type.bits * 32u + store.data.register_bytes) {
    case 8 * 32 + 2:
        return pick<uint8_t, uint16_t>(d);
    case 8 * 32 + 4:
        return pick<uint8_t, uint32_t>(d);
    case 8 * 32 + 8:
        return pick<uint8_t, uint64_t>(d);
    case 16 * 32 + 2:
        return pick<uint16_t, uint16_t>(d);
    case 16 * 32 + 4:
        return pick<uint16_t, uint32_t>(d);
    case 16 * 32 + 8:
        return pick<uint16_t, uint64_t>(d);
    case 32 * 32 + 4:
        return pick<uint32_t, uint32_t>(d);
    case 32 * 32 + 8:
        return pick<uint32_t, uint64_t>(d);
    case 64 * 32 + 8:
        return pick<uint64_t, uint64_t>(d);
    case 128 * 32 + 16:
        return pick<uint128, uint128>(d);
    default:
        d.fail("st: no register of this width for the type");
    }
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "st",
        .syntax = R"(
        st{.sem}{.scope}{.ss}{.cop}{.l1}{.l2}{.hint}{.vec}.type [a], b{, cache-policy};
        st.mmio{.sem}{.scope}{.ss}.type [a], b;
        .sem = { .weak, .relaxed, .release, .volatile };
        .scope = { .cta, .cluster, .gpu, .sys };
        .ss = { .const, .global, .local, .param{::entry, ::func}, .shared{::cta, ::cluster} };
        .cop = { .ca, .cg, .cs, .lu, .cv, .wb, .wt };
        .l1 = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };
        .l2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .hint = { .L2::cache_hint };
        .prefetch = { .L2::64B, .L2::128B, .L2::256B };
        .vec = { .v2, .v4, .v8 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "data-movement-and-conversion-instructions-st",
        .decode = decode,
        .use = Use::sink,
        .effects = {{"", effect::stores}},
    },
};

} // namespace sim::instructions::st
