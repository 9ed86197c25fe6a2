#include "sim/instructions/memory_operands.h"

namespace sim::instructions {
namespace {

/// op.extra: VectorRegisters; M: the value in memory, R: a lane of the destination register.
template <class M, class R> Flow load(Exec& x, const Op& op) {
    Resolved from;
    const uint32_t bytes = uint32_t(sizeof(M)) * op.small;
    if (!resolve(x, op, op.address, bytes, bytes, Direction::load, from))
        return Flow::fault;
    observe(x, op, from, Access::Kind::load, semantics_of(op), scope_of(op), bytes);
    auto& statistics = x.grid.statistics;
    (from.shared ? statistics.shared_load_bytes : statistics.global_load_bytes) +=
        uint64_t{bytes} * uint32_t(std::popcount(x.mask & ~from.local));
    auto one = [&](OperandRef to, uint32_t offset) {
        if (!to.exists())
            return;
        R* d = x.lanes<R>(to);
        for_lanes(x.mask, [&](int lane) {
            M value;
            std::memcpy(&value, from.pointer[lane] + offset, sizeof(M));
            d[lane] = static_cast<R>(value);
        });
    };
    if (op.small == 1) {
        one(op.d, 0);
    } else {
        const auto& vector = *static_cast<const VectorRegisters*>(op.extra);
        for (uint32_t i = 0; i < vector.count; ++i)
            one(vector.lanes[i], i * uint32_t(sizeof(M)));
    }
    return Flow::next;
}

/// op.imm: offset in the kernel's parameter block.
template <class M, class R> Flow load_parameter(Exec& x, const Op& op) {
    auto one = [&](OperandRef to, uint64_t offset) {
        if (!to.exists() || offset + sizeof(M) > x.grid.parameters.size())
            return;
        M value;
        std::memcpy(&value, x.grid.parameters.data() + offset, sizeof(M));
        R* d = x.lanes<R>(to);
        for_lanes(x.mask, [&](int lane) { d[lane] = static_cast<R>(value); });
    };
    if (op.small == 1) {
        one(op.d, op.imm);
    } else {
        const auto& vector = *static_cast<const VectorRegisters*>(op.extra);
        for (uint32_t i = 0; i < vector.count; ++i)
            one(vector.lanes[i], op.imm + i * sizeof(M));
    }
    return Flow::next;
}

/// op.imm: area in the frame; op.width: its stride.
template <class M, class R> Flow load_area(Exec& x, const Op& op) {
    auto one = [&](OperandRef to, uint32_t offset) {
        if (!to.exists())
            return;
        R* d = x.lanes<R>(to);
        const std::byte* area = x.base[OperandRef::frame] + op.imm + offset;
        for_lanes(x.mask, [&](int lane) {
            M value;
            std::memcpy(&value, area + uint32_t(lane) * op.width, sizeof(M));
            d[lane] = static_cast<R>(value);
        });
    };
    if (op.small == 1) {
        one(op.d, 0);
    } else {
        const auto& vector = *static_cast<const VectorRegisters*>(op.extra);
        for (uint32_t i = 0; i < vector.count; ++i)
            one(vector.lanes[i], i * uint32_t(sizeof(M)));
    }
    return Flow::next;
}

enum class Source { memory, parameter, area };

template <class M, class R> Handler pick(Source source) {
    switch (source) {
    case Source::parameter:
        return load_parameter<M, R>;
    case Source::area:
        return load_area<M, R>;
    default:
        return load<M, R>;
    }
}

Handler decode(Decoder& d) {
    const Type type = last_type(d);
    const ptx::Operand& target = d.operand(0);
    auto* vector = d.keep(VectorRegisters{});
    uint32_t register_bytes = 0;
    auto add = [&](const ptx::Operand& operand) {
        const uint32_t bytes = d.register_bytes(operand, 0);
        if (operand.kind != ptx::Operand::Kind::sink) {
            if (register_bytes && bytes != register_bytes)
                d.fail("ld into registers of different widths");
            register_bytes = bytes;
        }
        vector->lanes.at(vector->count++) = d.write(operand);
    };
    if (target.kind == ptx::Operand::Kind::vector) {
        for (const auto& element : target.elements)
            add(element);
    } else {
        add(target);
    }
    d.op.small = vector->count;
    d.op.d = vector->lanes[0];
    d.op.extra = vector;
    d.op.flags = ordering_flags(d);
    if (!register_bytes)
        register_bytes = bytes_of(type);

    Source source = Source::memory;
    Space space = d.space(".ss");
    if (d.op.record->name == "ldu" && space == Space::generic)
        space = Space::global;
    ParameterArea area;
    if (frame_parameter(d, d.operand(1), area)) {
        source = Source::area;
        d.op.imm = area.offset;
        d.op.width = area.stride;
    } else if (const auto& operand = d.operand(1);
               operand.kind == ptx::Operand::Kind::address && operand.elements.at(0).kind == ptx::Operand::Kind::param) {
        source = Source::parameter;
        d.op.imm = kernel_parameter(d, operand);
    } else {
        d.op.address = d.address(1, space == Space::param ? Space::global : space);
    }
    return for_integer(d, type, [&]<class M>() -> Handler {
        switch (register_bytes) {
        case 2:
            return pick<M, uint16_t>(source);
        case 4:
            return pick<M, uint32_t>(source);
        case 8:
            return pick<M, uint64_t>(source);
        default:
            d.fail("ld into a register of this width");
        }
    });
}

} // namespace

#define TYPES                                                                                                          \
    ".type = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };"                     \
    ".vec = { .v2, .v4, .v8 };"                                                                                        \
    ".ss = { .const, .global, .local, .param{::entry, ::func}, .shared{::cta, ::cluster} };"                          \
    ".cop = { .ca, .cg, .cs, .lu, .cv };"                                                                              \
    ".level1 = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };"      \
    ".level2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };"                                              \
    ".prefetch = { .L2::64B, .L2::128B, .L2::256B };"                                                                  \
    ".scope = { .cta, .cluster, .gpu, .sys };"

INSTRUCTIONS(ld) = {
    {.name = "ld",
     .syntax = R"(
        ld{.weak}{.ss}{.cop}{.nc}{.level1}{.level2}{.L2::cache_hint}{.prefetch}{.vec}.type d, [a]{, cache-policy};
        ld.volatile{.ss}{.prefetch}{.vec}.type d, [a];
        ld.sem.scope{.ss}{.level1}{.level2}{.L2::cache_hint}{.prefetch}{.vec}.type d, [a]{, cache-policy};
        ld.mmio.relaxed.sys{.global}.type d, [a];
        .sem = { .relaxed, .acquire };
)" TYPES,
     .isa = 10,
     .sm = 0,
     .manual = "data-movement-and-conversion-instructions-ld",
     .decode = decode},
    {.name = "ldu",
     .syntax = "ldu{.ss}{.vec}.type d, [a];" TYPES,
     .isa = 20,
     .sm = 20,
     .manual = "data-movement-and-conversion-instructions-ldu",
     .decode = decode},
};

} // namespace sim::instructions
