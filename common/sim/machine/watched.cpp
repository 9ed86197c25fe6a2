#include "sim/machine/watched.h"

#include <vector>

#include "sim/machine/exec.h"

namespace sim::machine {
namespace {

// Addresses and guards are always uses, guards also in the lanes that they hold back.
void step_guard(Exec& x, const Op& op, uint32_t pc, uint32_t active) {
    std::vector<uint32_t> due;
    Op use = op;
    use.use = Use::sink;
    x.warp.pending.step(x.fragment().frame, use, {op.guard}, {}, active, 0, due);
    x.warp.pending.step(x.fragment().frame, use, x.function->address_reads[pc], {}, x.mask, 0, due);
    for (uint32_t report : due)
        x.listener->used(report);
}

// Lanes in which the operand counts that `op` may leave out.
uint32_t chosen(Exec& x, const Op& op) {
    if (op.use == Use::select)
        return op.c.exists() ? x.predicate(op.c, uint32_t(op.imm)) : 0;
    const uint32_t first = op.use == Use::where || op.use == Use::unless ? x.predicate(op.a, uint32_t(op.imm)) : 0;
    return op.use == Use::unless ? ~first : first;
}

} // namespace

void step_pending(Exec& x, const Op& op, uint32_t pc, uint32_t active) {
    if (x.warp.pending.announces())
        x.listener->instruction(x, op);
    if (x.warp.pending.empty())
        return;
    step_guard(x, op, pc, active);
    std::vector<uint32_t> due;
    const uint32_t select = chosen(x, op);
    const bool partial = x.warp.pending.has_partial();
    x.warp.pending.step(x.fragment().frame, op, x.function->reads[pc], x.function->writes[pc], x.mask, select, due);
    if (partial)
        x.warp.pending.step_partial(x.fragment().frame, *x.function, op, x.function->writes[pc], x.mask, select, due);
    for (uint32_t report : due)
        x.listener->used(report);
}

void skip_pending(Exec& x, const Op& op, uint32_t pc, uint32_t active) {
    x.mask = 0;
    if (x.warp.pending.announces())
        x.listener->instruction(x, op);
    x.mask = active;
    if (!x.warp.pending.empty())
        step_guard(x, op, pc, active);
}

} // namespace sim::machine
