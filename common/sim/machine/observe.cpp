// What the listener hears of accesses by threads, and which loaded values have to be followed because of it.
#include <algorithm>

#include "sim/machine/exec.h"

namespace sim::machine {

namespace {

/// `access` at the places of `resolved`: once per space and target.
void report_access(Exec& x, const Resolved& resolved, Access& access, events::Reports& reports) {
    access.address = resolved.address;
    access.in_order = resolved.in_order;
    if (resolved.shared) {
        access.space = ptx::Space::shared;
        if (resolved.target) {
            access.mask = resolved.shared;
            access.target = resolved.target;
            x.listener->access(x, access, reports);
        } else {
            for_lanes(resolved.shared, [&](int lane) {
                access.mask = 1u << lane;
                access.target = nullptr;
                for (auto& block : x.grid.resident)
                    if (resolved.pointer[lane] >= block->shared.data() &&
                        resolved.pointer[lane] < block->shared.data() + block->shared.size())
                        access.target = block.get();
                x.listener->access(x, access, reports);
            });
        }
    }
    if (resolved.global) {
        access.space = ptx::Space::global;
        access.mask = resolved.global;
        access.allocation = resolved.allocation;
        access.target = nullptr;
        x.listener->access(x, access, reports);
    }
}

} // namespace

namespace {

/// Follows what a load has brought to `reg`: `bytes` bytes of element `at`, behind `offset` others.
void mark(Exec& x, const events::Reports& reports, size_t at, OperandRef reg, uint32_t offset, uint32_t bytes) {
    uint32_t partly = reports.partly[at];
    if (const uint32_t lanes = reports.lanes[at] & ~partly)
        x.warp.pending.mark(x.fragment().frame, reg, lanes, reports.number[at]);
    std::array<Bytes, 32> missing;
    for_lanes(partly, [&](int lane) {
        missing[size_t(lane)] = Bytes(reports.missing[at][size_t(lane)] >> offset & ((1u << bytes) - 1));
        partly &= ~(uint32_t(!missing[size_t(lane)]) << lane);
    });
    if (partly)
        x.warp.pending.mark_partial(x.fragment().frame, reg, partly, reports.number[at], missing);
}

} // namespace

void observe(Exec& x, const Op&, const Resolved& resolved, Access::Kind kind, Semantics semantics, Scope scope,
             uint32_t bytes, const std::byte* stored, const events::Reduction* reduction) {
    if (!x.listener)
        return;
    if (x.grid.log && (semantics != Semantics::weak || kind == Access::Kind::atomic)) [[unlikely]]
        x.grid.log->strong(x.warp, x.mask, std::span(resolved.pointer), kind != Access::Kind::store,
                           kind != Access::Kind::load, resolved.global != 0, x.pc());
    events::Reports reports;
    Access access;
    access.kind = kind;
    access.semantics = semantics;
    access.scope = scope;
    access.bytes = bytes;
    access.stored = stored;
    if (reduction && x.function->blind[x.fragment().pc])
        access.reduction = reduction;
    report_access(x, resolved, access, reports);
    if (reports.lanes[0])
        for (const OperandRef reg : x.function->writes[x.fragment().pc])
            mark(x, reports, 0, reg, 0, bytes);
}

void observe_vector(Exec& x, const Resolved& resolved, Semantics semantics, Scope scope, uint32_t bytes,
                    std::span<const OperandRef> elements) {
    if (!x.listener)
        return;
    events::Reports reports;
    Access access;
    access.semantics = semantics;
    access.scope = scope;
    access.bytes = bytes;
    const uint32_t each = bytes / uint32_t(elements.size());
    access.element_bytes = each % 4 ? 0 : each; // smaller ones share a word, and its cell
    report_access(x, resolved, access, reports);
    for (size_t i = 0; i < elements.size(); ++i)
        if (const size_t at = access.element_bytes ? i : 0; reports.lanes[at] && elements[i].exists())
            mark(x, reports, at, elements[i], access.element_bytes ? 0 : uint32_t(i) * each, each);
}

} // namespace sim::machine
