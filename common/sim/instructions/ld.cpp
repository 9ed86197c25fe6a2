#include <algorithm>

#include "sim/instructions/ld_param.h"
#include "sim/instructions/memory_operands.h"

namespace sim::instructions::ld {
namespace {

/// Bytes of a load that are used: consecutive elements together, or a part of one element.
struct Run {
    uint32_t first, bytes;
    Resolved place;
};

template <class T, class Register>
void load_run(Exec& x, const Run& run, const DataOperand& data) {
    const uint32_t from = run.first / sizeof(T), skip = run.first % sizeof(T);
    const auto count = uint32_t((run.bytes + sizeof(T) - 1) / sizeof(T));
    for (uint32_t i = 0; i < count; ++i) {
        Register* d = x.lanes<Register>(data.part[from + i]);
        for_lanes(x.mask, [&](int lane) {
            std::array<std::byte, sizeof(T)> value{};
            std::memcpy(value.data() + skip, run.place.pointer[lane] + i * sizeof(T),
                        std::min(run.bytes, uint32_t(sizeof(T))));
            d[lane] = Register(std::bit_cast<T>(value));
        });
    }
    observe_vector(x, run.place, Semantics::weak, Scope::sys, run.bytes, std::span(data.part).subspan(from, count));
}

/// A load of which only the bytes `used` are used, one bit each: the others may have any address, and keep no value.
template <class T, class Register>
Flow load_used(Exec& x, const Op& op, const DataOperand& data, uint32_t used) {
    constexpr auto each = uint32_t(sizeof(T)), whole = uint32_t((uint64_t{1} << each) - 1);
    const auto part = [&](uint32_t i) { return i < data.count ? used >> i * each & whole : 0; };
    std::array<Run, std::tuple_size_v<decltype(data.part)>> runs;
    uint32_t count = 0;
    for (uint32_t i = 0, together; i < data.count; i += together) {
        for (together = 0; part(i + together) == whole;)
            ++together;
        Run run{i * each, together * each, {}};
        if (!together) {
            together = 1;
            if (!part(i))
                continue;
            run.first += uint32_t(std::countr_zero(part(i)));
            run.bytes = uint32_t(std::bit_width(part(i))) + i * each - run.first;
        }
        if (!locate(x, op, op.address, run.bytes, each * data.count, Direction::load, run.place, run.first))
            return Flow::fault;
        runs[count++] = run;
    }
    count_access(x, runs[0].place, each * data.count, Direction::load); // the hardware loads all of them
    count_banks(x, op, data, runs[0].place, each * data.count);
    for (uint32_t i = 0; i < count; ++i)
        load_run<T, Register>(x, runs[i], data);
    return Flow::next;
}

/// The bytes that this load's program uses, if they are not all of them; else 0.
uint32_t some_used(Exec& x, const Op& op) {
    return Semantics(op.flags >> 4) == Semantics::weak ? x.function->used_bytes[x.fragment().pc] : 0;
}

/// Loads T, extended to the width of the register.
template <class T, class Register>
Flow load_one(Exec& x, const Op& op) {
    if (const uint32_t used = some_used(x, op)) [[unlikely]]
        return load_used<T, Register>(x, op, *static_cast<const DataOperand*>(op.extra), used);
    Resolved r;
    if (!resolve(x, op, op.address, sizeof(T), sizeof(T), Direction::load, r))
        return Flow::fault;
    Register* d = x.lanes<Register>(op.d);
    for_lanes(x.mask, [&](int lane) {
        T value;
        std::memcpy(&value, r.pointer[lane], sizeof value);
        d[lane] = Register(value);
    });
    count_banks(x, op, *static_cast<const DataOperand*>(op.extra), r, sizeof(T));
    observe(x, op, r, Access::Kind::load, Semantics(op.flags >> 4), Scope(op.flags & 15), sizeof(T));
    return Flow::next;
}

template <class T, class Register>
Flow load_vector(Exec& x, const Op& op) {
    const auto& data = *static_cast<const DataOperand*>(op.extra);
    if (const uint32_t used = some_used(x, op)) [[unlikely]]
        return load_used<T, Register>(x, op, data, used);
    const auto bytes = uint32_t(sizeof(T) * data.count);
    Resolved r;
    if (!resolve(x, op, op.address, bytes, bytes, Direction::load, r))
        return Flow::fault;
    for (uint32_t i = 0; i < data.count; ++i) {
        if (!data.part[i].exists())
            continue;
        Register* d = x.lanes<Register>(data.part[i]);
        for_lanes(x.mask, [&](int lane) {
            T value;
            std::memcpy(&value, r.pointer[lane] + i * sizeof value, sizeof value);
            d[lane] = Register(value);
        });
    }
    count_banks(x, op, data, r, bytes);
    observe_vector(x, r, Semantics(op.flags >> 4), Scope(op.flags & 15), bytes, std::span(data.part).first(data.count));
    return Flow::next;
}

template <class T, class Register>
Handler pick(Decoder& d, const DataOperand& data) {
    if (names_parameter(d, 1))
        return load_parameter<T, Register>(d, data);
    d.op.extra = d.keep(data);
    if (data.count == 1 && data.part[0].exists()) {
        d.op.d = data.part[0];
        return load_one<T, Register>;
    }
    return load_vector<T, Register>;
}

Handler decode(Decoder& d) {
    const Type type = d.type();
    const DataOperand data = loaded(d, 0, bytes_of(type));
    if (!names_parameter(d, 1))
        d.op.address = d.address(1, d.space(".ss"));
    d.op.flags = uint8_t(uint32_t(semantics(d)) << 4 | uint32_t(scope(d, Scope::sys)));
    d.op.width = bytes_of(type) * data.count;
    const bool s = is_signed(type);
    switch (type.bits * 32u + data.register_bytes) {
    case 8 * 32 + 2:
        return s ? pick<int8_t, int16_t>(d, data) : pick<uint8_t, uint16_t>(d, data);
    case 8 * 32 + 4:
        return s ? pick<int8_t, int32_t>(d, data) : pick<uint8_t, uint32_t>(d, data);
    case 8 * 32 + 8:
        return s ? pick<int8_t, int64_t>(d, data) : pick<uint8_t, uint64_t>(d, data);
    case 16 * 32 + 2:
        return pick<uint16_t, uint16_t>(d, data);
    case 16 * 32 + 4:
        return s ? pick<int16_t, int32_t>(d, data) : pick<uint16_t, uint32_t>(d, data);
    case 16 * 32 + 8:
        return s ? pick<int16_t, int64_t>(d, data) : pick<uint16_t, uint64_t>(d, data);
    case 32 * 32 + 4:
        return pick<uint32_t, uint32_t>(d, data);
    case 32 * 32 + 8:
        return s ? pick<int32_t, int64_t>(d, data) : pick<uint32_t, uint64_t>(d, data);
    case 64 * 32 + 8:
        return pick<uint64_t, uint64_t>(d, data);
    case 128 * 32 + 16:
        return pick<uint128, uint128>(d, data);
    default:
        d.fail("ld: no register of this width for the type");
    }
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "ld",
        .syntax = R"(
        ld{.sem}{.scope}{.ss}{.nc}{.cop}{.l1}{.l2}{.hint}{.prefetch}{.vec}.type d, [a]{, cache-policy};
        ld.mmio{.sem}{.scope}{.ss}.type d, [a];
        .sem = { .weak, .relaxed, .acquire, .volatile };
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
        .manual = "data-movement-and-conversion-instructions-ld",
        .decode = decode,
        .effects = {{"", effect::loads}},
    },
    {
        .name = "ldu",
        .syntax = R"(
        ldu{.ss}{.vec}.type d, [a];
        .ss = { .const, .global, .local, .param{::entry, ::func}, .shared{::cta, ::cluster} };
        .cop = { .ca, .cg, .cs, .lu, .cv, .wb, .wt };
        .l1 = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last, .L1::no_allocate };
        .l2 = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
        .hint = { .L2::cache_hint };
        .prefetch = { .L2::64B, .L2::128B, .L2::256B };
        .vec = { .v2, .v4, .v8 };
        .type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
)",
        .isa = 20,
        .sm = 0,
        .manual = "data-movement-and-conversion-instructions-ldu",
        .decode = decode,
        .effects = {{"", effect::loads}},
    },
};

} // namespace sim::instructions::ld
