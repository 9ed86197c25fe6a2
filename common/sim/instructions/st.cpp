#include "sim/instructions/memory_operands.h"

namespace sim::instructions {
namespace {

template <class M, class R> Flow store(Exec& x, const Op& op) {
    const auto& vector = *static_cast<const VectorRegisters*>(op.extra);
    const uint32_t bytes = uint32_t(sizeof(M)) * vector.count;
    Resolved to;
    if (!resolve(x, op, op.address, bytes, bytes, Direction::store, to))
        return Flow::fault;
    auto& statistics = x.grid.statistics;
    (to.shared ? statistics.shared_store_bytes : statistics.global_store_bytes) +=
        uint64_t{bytes} * uint32_t(std::popcount(x.mask & ~to.local));
    x.grid.activity += to.local != x.mask;
    auto values = [&](uint32_t i, auto&& put) {
        const R* a = x.lanes<R>(vector.lanes[i]);
        for_lanes(x.mask, [&](int lane) {
            const M value = static_cast<M>(a[lane]);
            put(lane, i * uint32_t(sizeof(M)), value);
        });
    };
    if (x.observer && to.local != x.mask) { // before the bytes change, so that stores of the same value can be told
        alignas(16) std::byte stored[32 * 64];
        for (uint32_t i = 0; i < vector.count; ++i)
            values(i, [&](int lane, uint32_t offset, M value) {
                std::memcpy(stored + uint32_t(lane) * bytes + offset, &value, sizeof(M));
            });
        observe(x, op, to, Access::Kind::store, semantics_of(op), scope_of(op), bytes, stored);
    }
    for (uint32_t i = 0; i < vector.count; ++i)
        values(i, [&](int lane, uint32_t offset, M value) { std::memcpy(to.pointer[lane] + offset, &value, sizeof(M)); });
    return Flow::next;
}

template <class M, class R> Flow store_area(Exec& x, const Op& op) {
    const auto& vector = *static_cast<const VectorRegisters*>(op.extra);
    for (uint32_t i = 0; i < vector.count; ++i) {
        const R* a = x.lanes<R>(vector.lanes[i]);
        std::byte* area = x.base[OperandRef::frame] + op.imm + i * sizeof(M);
        for_lanes(x.mask, [&](int lane) {
            const M value = static_cast<M>(a[lane]);
            std::memcpy(area + uint32_t(lane) * op.width, &value, sizeof(M));
        });
    }
    return Flow::next;
}

template <class M, class R> Handler pick(bool area) { return area ? store_area<M, R> : store<M, R>; }

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    const ptx::Operand& source = d.operand(1);
    const bool is_vector = source.kind == ptx::Operand::Kind::vector;
    uint32_t register_bytes = bytes_of(type);
    auto width = [&](const ptx::Operand& operand) {
        register_bytes = std::max(register_bytes, d.register_bytes(operand, 0));
    };
    if (is_vector)
        for (const auto& element : source.elements)
            width(element);
    else
        width(source);
    register_bytes = std::max(register_bytes, 2u);
    auto* vector = d.keep(VectorRegisters{});
    if (is_vector)
        for (const auto& element : source.elements)
            vector->lanes.at(vector->count++) = d.read(element, register_bytes);
    else
        vector->lanes.at(vector->count++) = d.read(source, register_bytes);
    d.op.extra = vector;
    d.op.flags = ordering_flags(d);
    ParameterArea area;
    const bool in_frame = frame_parameter(d, d.operand(0), area);
    if (in_frame) {
        d.op.imm = area.offset;
        d.op.width = area.stride;
        d.op.use = Use::propagate;
    } else {
        d.op.address = d.address(0, d.space(".ss"));
    }
    Type plain = type;
    plain.kind = Kind::bits;
    return for_integer(d, plain, [&]<class M>() -> Handler {
        switch (register_bytes) {
        case 2:
            return pick<M, uint16_t>(in_frame);
        case 4:
            return pick<M, uint32_t>(in_frame);
        case 8:
            return pick<M, uint64_t>(in_frame);
        default:
            d.fail("st from a register of this width");
        }
    });
}

} // namespace

INSTRUCTIONS(st) = {{
    .name = "st",
    .syntax = R"(
        st{.weak}{.ss}{.cop}{.level1}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache-policy};
        st.volatile{.ss}{.vec}.type [a], b;
        st.sem.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.vec}.type [a], b{, cache-policy};
        st.mmio.relaxed.sys{.global}.type [a], b;
        .sem = { .relaxed, .release };
        .type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
        .vec = { .v2, .v4, .v8 };
        .ss = { .global, .local, .param{::func}, .shared{::cta, ::cluster} };
        .cop = { .wb, .cg, .cs, .wt };
        .level1 = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };
        .level2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .scope = { .cta, .cluster, .gpu, .sys };
)",
    .isa = 10,
    .sm = 0,
    .manual = "data-movement-and-conversion-instructions-st",
    .decode = decode,
    .use = Use::sink,
}};

} // namespace sim::instructions
