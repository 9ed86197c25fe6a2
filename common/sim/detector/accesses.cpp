#include <algorithm>

#include "sim/detector/barrier_memory.h"
#include "sim/detector/trackers.h"

namespace sim::hazards {
namespace {

using Kind = ptx::Operand::Kind;

bool holds_global(const machine::DecodedFunction& function, const ptx::Operand& operand) {
    if (operand.kind == Kind::reg)
        return operand.index < function.from_global.size() && function.from_global[operand.index];
    return operand.kind == Kind::vector && std::ranges::any_of(operand.elements, [&](const ptx::Operand& element) {
               return holds_global(function, element);
           });
}

bool is_copy_function(const std::string& file) {
    for (std::string_view part : {"memcpy_async", "cooperative_groups/details/async", "cuda_pipeline_helpers"})
        if (file.find(part) != std::string::npos)
            return true;
    return false;
}

} // namespace

uint32_t AccessTracker::unordered(Exec& x, const Unordered& accesses) {
    auto finding = core_.explain(x, accesses);
    if (accesses.role == Role::load) {
        // Loads whose values do not matter must not use up the report limit of those that do: past the limit, the last
        // held load stands for the next one.
        uint32_t& last = held_[uint64_t{x.pc()} << 32 | accesses.other_pc];
        if (finding)
            last = core_.held.hold(std::move(*finding));
        return last;
    }
    core_.findings.add(std::move(finding));
    return 0;
}

uint32_t AccessTracker::undefined_load(Exec& x, uint32_t lane, Spot spot, uint32_t missing) {
    const WarpState& warp = WarpState::of(x.warp);
    const PhaseWait& wait = warp.history.phase_waits[lane];
    const bool by_phase = spot.block && wait.barrier && !wait.through;
    return core_.held.hold_early(warp.clock, lane, x.pc(), spot, by_phase,
                                 [this, by = &x.warp, pc = x.pc(), lane, spot, missing, wait] {
                                     Unordered accesses{lane, Role::load, spot};
                                     accesses.missing = missing;
                                     // The value is used later, when the thread may have waited for other phases.
                                     PhaseWait& last = WarpState::of(*by).history.phase_waits[lane];
                                     const PhaseWait now = std::exchange(last, wait);
                                     auto finding = core_.explain(*by, pc, accesses);
                                     last = now;
                                     return finding;
                                 });
}

bool AccessTracker::is_volatile(uint32_t pc) {
    const auto* function = core_.places.function_at(pc);
    const machine::Op* op = function ? &function->ops[pc - function->first_pc] : nullptr;
    return op && op->source && op->source->opcode.find(".volatile") != std::string::npos;
}

uint32_t AccessTracker::speculated_load(Exec& x, uint32_t lane, ptx::Space space) {
    return core_.held.hold_speculated(WarpState::of(x.warp).clock, lane, x.pc(), space);
}

void AccessTracker::shared_access(Exec& x, const events::Access& access, events::Reports& reports) {
    BlockState& block = BlockState::of(*access.target);
    if (access.kind == events::Access::Kind::store && (x.pc() >= stores_seen_.size() || !stores_seen_[x.pc()]))
        [[unlikely]]
        note_synchronous_copy(x, access.mask);
    if (access.kind != events::Access::Kind::load)
        barrier_memory::write(core_, x, access);
    if (access.target != &x.block) {
        block.shadow.sets.keep(); // a barrier of that block does not order this one's reads
        using What = PeerAccesses::What;
        const bool load = access.kind == events::Access::Kind::load;
        if (!load || !x.function->speculated[x.fragment().pc])
            block.peers.access(WarpState::of(x.warp).clock, access.mask, x.pc(),
                               load                                         ? What::read
                               : access.kind == events::Access::Kind::store ? What::write
                                                                            : What::atomic);
    }
    check_(x, access, reports, WarpState::of(x.warp).clock, block.shadow, block.locations, SharedCells{block.shadow});
}

void AccessTracker::global_access(Exec& x, const events::Access& access, events::Reports& reports) {
    if (!watched(access.allocation))
        return;
    if (access.allocation->lifetime) [[unlikely]]
        core_.check_lifetime(*access.allocation, "kernel " + core_.findings.kernel, core_.here(x, access.mask));
    if (access.semantics != events::Semantics::weak || access.kind == events::Access::Kind::atomic)
        core_.communicates = core_.communicates || !core_.atomics.global.empty() || !narrow_.empty() ||
                             core_.atomics.matters(WarpState::of(x.warp).clock, access.semantics) ||
                             !core_.reductions.add(x, access, WarpState::of(x.warp).clock);
    GlobalShadow& global = core_.shadow(*access.allocation);
    if (global.sets.is_full())
        collect_read_sets(global);
    if (access.kind != events::Access::Kind::load && access.semantics != events::Semantics::weak &&
        (access.scope == events::Scope::cta || !narrow_.empty())) [[unlikely]]
        check_atomic_scope(x, access, global);
    check_(x, access, reports, WarpState::of(x.warp).clock, global, core_.atomics.global,
           GlobalCells{&global, access.allocation->address});
}

void AccessTracker::check_atomic_scope(Exec& x, const events::Access& access, GlobalShadow& shadow) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    const bool narrow = access.scope == events::Scope::cta;
    const auto clashes = [&](uint32_t lane, Epoch e) {
        return kind_of(e) == EpochKind::strong && block_of(e) != clock.block &&
               core_.ordering.operations.own(block_of(e)) && !core_.ordering.ordered(clock, lane, e);
    };
    machine::for_lanes(access.mask, [&](int i) {
        const auto lane = uint32_t(i);
        const uint64_t at = access.address[lane];
        Unordered accesses{.lane = lane, .role = role_of(access.kind), .spot = {nullptr, at}};
        bool first = narrow;
        for_cells(at, access.bytes, shadow.pool, GlobalCells{&shadow, access.allocation->address},
                  [&](const Cell& cell) {
                      if (std::exchange(first, false) && clashes(lane, cell.write)) {
                          accesses.other = cell.write;
                          accesses.other_pc = cell.write_pc;
                          accesses.narrow_pc = x.pc();
                      }
                  });
        if (const auto known = narrow_.find(at); !narrow && known != narrow_.end() && clashes(lane, known->second.by)) {
            accesses.other = known->second.by;
            accesses.other_pc = accesses.narrow_pc = known->second.pc;
        }
        if (accesses.narrow_pc)
            core_.findings.add(core_.explain(x, accesses));
        if (narrow)
            narrow_[at] = {make_epoch(EpochKind::strong, clock.block, clock.warp, lane, clock.tick), x.pc()};
    });
}

void AccessTracker::check_scope(Exec& x, const events::Access& access) {
    const WarpClock& clock = WarpState::of(x.warp).clock;
    const WarpClock::NarrowWait& wait = clock.narrow_wait;
    const auto check = [&](uint32_t lane, const Cell& cell) {
        const Epoch e = cell.write;
        if (kind_of(e) != EpochKind::plain || block_of(e) == clock.block || !wait.arrivals->cover(e) ||
            covers(wait.before, e) || wait.arrivals->fenced(e) || !core_.first_time(x.pc(), wait.arrivals->pc))
            return;
        core_.findings.report(NarrowArrival{access.space == ptx::Space::shared, wait.arrivals->pc, wait.wait_pc},
                              core_.here(x, 1u << lane), core_.places.of(e, cell.write_pc, {}));
    };
    machine::for_lanes(access.mask & wait.mask, [&](int i) {
        const auto lane = uint32_t(i);
        const uint64_t at = access.address[lane];
        if (access.space == ptx::Space::shared) {
            SharedShadow& shadow = BlockState::of(*access.target).shadow;
            for_cells(at, access.bytes, shadow.pool, SharedCells{shadow}, [&](const Cell& cell) { check(lane, cell); });
        } else if (memory::Allocation* allocation = core_.memory.find(at); watched(allocation)) {
            GlobalShadow& shadow = core_.shadow(*allocation);
            for_cells(at, access.bytes, shadow.pool, GlobalCells{&shadow, allocation->address},
                      [&](const Cell& cell) { check(lane, cell); });
        }
    });
}

void AccessTracker::access(Exec& x, const events::Access& access, events::Reports& reports) {
    if (WarpState::of(x.warp).clock.narrow_wait.mask & access.mask && access.kind == events::Access::Kind::load &&
        access.semantics == events::Semantics::weak) [[unlikely]]
        check_scope(x, access);
    if (access.space == ptx::Space::shared)
        return shared_access(x, access, reports);
    if (access.allocation)
        return global_access(x, access, reports);
    machine::for_lanes(access.mask, [&](int lane) { // lanes in several allocations: one at a time
        events::Access one = access;
        one.mask = 1u << lane;
        one.allocation = core_.memory.find(access.address[lane]);
        global_access(x, one, reports);
    });
}

void AccessTracker::note_synchronous_copy(Exec& x, uint32_t mask) {
    const uint32_t pc = x.pc();
    if (pc >= stores_seen_.size())
        stores_seen_.resize(pc + 1024);
    stores_seen_[pc] = true;
    const machine::Op& op = x.op();
    if (!op.source || op.source->operands.size() < 2 || !holds_global(*x.function, op.source->operands[1]))
        return;
    const auto chain = x.function->module->sources().chain(*x.function->function, x.fragment().pc);
    if (std::ranges::any_of(chain, [](const auto& link) { return is_copy_function(link.file); }))
        core_.findings.report(SynchronousCopy{op.width}, core_.here(x, mask));
}

} // namespace sim::hazards
