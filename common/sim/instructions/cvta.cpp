#include "sim/instructions/address_value.h"

namespace sim::instructions::cvta {
namespace {

uint64_t window_of(Space space) {
    return space == Space::shared ? memory::shared_window : space == Space::local ? memory::local_window : 0;
}

/// Global, constant and parameter addresses are their own generic addresses. 32-bit addresses have no windows.
template <class T>
Flow convert(Exec& x, const Op& op) {
    const T window = T(op.imm);
    map_lanes(
        x.mask, x.lanes<T>(op.d), [window](T a) { return T(a + window); }, x.lanes<T>(op.a));
    return Flow::next;
}

/// Compilers keep the address of a parameter in 32 bits (mov.b32), which is enough inside the parameter space: the
/// upper half is that of the parameter block.
Flow convert_param(Exec& x, const Op& op) {
    const uint64_t upper = x.grid.parameter_address >> 32 << 32;
    map_lanes(
        x.mask, x.lanes<uint64_t>(op.d), [upper](uint64_t a) { return uint32_t(a) | upper; }, x.lanes<uint64_t>(op.a));
    return Flow::next;
}

Flow convert_late(Exec& x, const Op& op) {
    const uint64_t value = static_cast<const LateAddress*>(op.extra)->value(x) + op.imm;
    for_lanes(x.mask, [&](int lane) { x.lanes<uint64_t>(op.d)[lane] = value; });
    return Flow::next;
}

Handler decode(Decoder& d) {
    const uint32_t bytes = bytes_of(d.type());
    const Space space = d.space(".space");
    const uint64_t window = bytes == 8 ? window_of(space) : 0;
    d.op.imm = d.has(".to") ? -window : window;
    d.op.d = destination(d, 0, bytes);
    LateAddress late;
    d.op.a = read_address(d, 1, bytes, late);
    if (!d.op.a.exists()) {
        if (bytes != 8)
            d.fail("cvta of this operand is only implemented for 64 bits");
        d.op.extra = d.keep(late);
        return convert_late;
    }
    if (space == Space::param && bytes == 8 && !d.has(".to"))
        return convert_param;
    return bytes == 8 ? convert<uint64_t> : convert<uint32_t>;
}

} // namespace

INSTRUCTIONS = {
    {
        .name = "cvta",
        .syntax = R"(
        cvta.space.type p, a;
        cvta.to.space.type p, a;
        .space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} };
        .type = { .u32, .u64 };
)",
        .isa = 20,
        .sm = 20,
        .manual = "data-movement-and-conversion-instructions-cvta",
        .decode = decode,
    },
};

} // namespace sim::instructions::cvta
