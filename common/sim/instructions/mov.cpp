#include "sim/instructions/address_value.h"
#include "sim/instructions/mov_vector.h"

namespace sim::instructions::mov {
namespace {

template <class T>
Flow copy(Exec& x, const Op& op) {
    map_lanes(
        x.mask, x.lanes<T>(op.d), [](T a) { return a; }, x.lanes<T>(op.a));
    return Flow::next;
}

Flow copy_predicate(Exec& x, const Op& op) {
    x.set_predicate(op.d, x.predicate(op.a, uint32_t(op.imm)));
    return Flow::next;
}

template <class T>
Flow late_address(Exec& x, const Op& op) {
    const auto value = T(static_cast<const LateAddress*>(op.extra)->value(x));
    for_lanes(x.mask, [&](int lane) { x.lanes<T>(op.d)[lane] = value; });
    return Flow::next;
}

/// Registers that change while a warp runs. One tick of every clock is one warp instruction of the grid.
template <class T, bool upper>
Flow clock(Exec& x, const Op& op) {
    const uint64_t now = ++x.grid.cycles;
    x.grid.depends_on_turns = true;
    for_lanes(x.mask, [&](int lane) { x.lanes<T>(op.d)[lane] = T(upper ? now >> 32 : now); });
    return Flow::next;
}

constexpr Inexact counts_instructions{
    .forms = {}, .how = "it counts instructions of the simulated device, not cycles or nanoseconds"};

Handler special(Decoder& d, machine::Special which, uint32_t bytes) {
    using S = machine::Special;
    d.departs(counts_instructions);
    if (which == S::clock_hi || which == S::globaltimer_hi)
        return bytes == 8 ? clock<uint64_t, true> : clock<uint32_t, true>;
    if (bytes < 4)
        d.fail("a clock has 32 or 64 bits");
    return bytes == 8 ? clock<uint64_t, false> : clock<uint32_t, false>;
}

Handler decode(Decoder& d) {
    const Type type = d.type();
    const ptx::Operand &to = d.operand(0), &from = d.operand(1);
    if (to.kind == ptx::Operand::Kind::vector || from.kind == ptx::Operand::Kind::vector)
        return decode_vector_mov(d, bytes_of(type));
    if (type.kind == Kind::predicate) {
        uint32_t flip;
        d.op.d = predicate_destination(d, to);
        d.op.a = d.predicate(1, flip);
        d.op.imm = flip;
        return copy_predicate;
    }
    const uint32_t bytes = bytes_of(type);
    d.op.d = destination(d, 0, bytes);
    if (bytes == 16 && from.kind != ptx::Operand::Kind::reg)
        d.fail("mov.b128 copies registers");
    if (from.kind == ptx::Operand::Kind::special) {
        const auto which = machine::special_named(from.text);
        if (which > machine::Special::count && which != machine::Special::none)
            return special(d, which, bytes);
    }
    LateAddress late;
    d.op.a = read_address(d, 1, bytes, late);
    if (!d.op.a.exists()) {
        d.op.extra = d.keep(late);
        return bytes == 8 ? late_address<uint64_t> : late_address<uint32_t>;
    }
    return bytes == 2 ? copy<uint16_t> : bytes == 4 ? copy<uint32_t> : bytes == 8 ? copy<uint64_t> : copy<uint128>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "mov",
        .syntax = R"(
        mov.type d, a;
        .type = { .pred, .b16, .b32, .b64, .b128, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };
)",
        .isa = 10,
        .sm = 0,
        .manual = "data-movement-and-conversion-instructions-mov",
        .decode = decode,
    },
};

} // namespace sim::instructions::mov
