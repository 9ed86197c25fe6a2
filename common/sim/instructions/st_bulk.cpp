// st.bulk: zeroes a region of shared memory.
#include <cstring>

#include "sim/instructions/bulk_operands.h"

namespace sim::instructions::st_bulk {
namespace {

constexpr uint64_t most_bytes = 16777216;
constexpr uint32_t part = 8; // sizes are multiples of it

/// Weak stores of the executing lanes, in parts of up to 16 bytes.
Flow zero(Exec& x, const Op& op) {
    return lane_by_lane(x, [&](int lane) {
        const uint64_t bytes = op.width == 8 ? x.lanes<uint64_t>(op.a)[lane] : uint64_t{x.lanes<uint32_t>(op.a)[lane]};
        if (bytes % part || bytes > most_bytes)
            return x.fail(Fault::illegal_instruction,
                          fmt::format("st.bulk of {} bytes: the size is a multiple of 8 and at most {}", bytes,
                                      most_bytes)) == Flow::next;
        if (!bytes)
            return true;
        Resolved all;
        if (!locate(x, op, op.address, uint32_t(bytes), part, Direction::store, all))
            return false;
        if (!all.shared || all.target != &x.block)
            return x.fail(Fault::illegal_instruction, "st.bulk writes to the block's own shared memory") == Flow::next;
        constexpr std::byte zeros[32 * part]{};
        for (uint32_t at = 0; at < bytes; at += part) {
            Resolved one;
            if (!locate(x, op, op.address, part, part, Direction::store, one, at))
                return false;
            machine::count_access(x, one, part, Direction::store);
            observe(x, op, one, Access::Kind::store, Semantics::weak, Scope::sys, part, zeros);
            std::memset(one.pointer[lane], 0, part);
        }
        ++x.grid.activity;
        return true;
    });
}

Handler decode(Decoder& d) {
    d.op.address = d.address(0, d.space(".ss"));
    d.op.width = d.register_bytes(d.operand(1), 8);
    d.op.a = d.read(1, d.op.width);
    if (d.immediate(2) != 0)
        d.fail("st.bulk: the initial value must be 0");
    return zero;
}

} // namespace

INSTRUCTIONS = {
    {.name = "st.bulk",
     .syntax = R"(
        st.bulk{.weak}{.ss} [a], size, initval;
        .ss = { .shared::cta };
)",
     .isa = 86,
     .targets = "sm_100",
     .manual = "data-movement-and-conversion-instructions-st-bulk",
     .decode = decode,
     .use = Use::sink,
     .effects = {{"", effect::stores}}},
};

} // namespace sim::instructions::st_bulk
