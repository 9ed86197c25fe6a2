#include "sim/diagnosis/conflict.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/machine/grid.h"
#include "sim/machine/names.h"

namespace sim::hazards {

std::string name_of(const Context& context, Spot spot) {
    return spot.block ? machine::shared_name(*spot.block, uint32_t(spot.at))
                      : machine::global_name(*context.grid, spot.at);
}

Conflict::Conflict(const Context& context, const WarpState& by, uint32_t at, const Unordered& accesses)
    : Unordered(accesses), warp(by), pc(at), context_(context) {
    const EpochKind kind = kind_of(other);
    if (kind == EpochKind::async) {
        bulk_ = bulk_facts();
        other_warp_ = bulk_->issuer;
    } else if (kind == EpochKind::plain || kind == EpochKind::strong || kind == EpochKind::copy) {
        other_warp_ = context.blocks.warp(block_of(other), warp_of(other));
        ordered_ = async() && context.ordering.ordered(warp.clock, lane, other);
        if (kind == EpochKind::copy && other_wrote && !ordered_)
            copy_ = copy_facts();
    }
    later_ = find_later_phase();
}

bool Conflict::writes() const {
    return role == Role::store || role == Role::copy_destination || role == Role::async_write || role == Role::atomic;
}

const char* Conflict::verb() const {
    return role == Role::load || role == Role::async_read || role == Role::matrix_read ? "read"
           : role == Role::store || role == Role::atomic                               ? "wrote"
           : role == Role::copy_source                                                 ? "copied"
                                                                                       : "copied into";
}

bool Conflict::other_operation() const {
    const EpochKind kind = kind_of(other);
    return kind == EpochKind::host || ((kind == EpochKind::plain || kind == EpochKind::strong) &&
                                       !context_.ordering.operations.own(block_of(other)));
}

const Operation* Conflict::operation_of_other() const {
    const BulkOp* op = context_.ordering.bulk.find_epoch(other);
    return context_.ordering.operations.of_block(op ? op->block : block_of(other));
}

bool Conflict::other_is_host() const {
    const Operation* by = kind_of(other) == EpochKind::host ? operation_of_other() : nullptr;
    return by && by->by_host;
}

bool Conflict::staged() const {
    const Operation* by = operation_of_other();
    return by && context_.ordering.operations.current().staged_after(*by);
}

std::vector<events::LostWait> Conflict::lost_waits() const {
    const Operation* by = operation_of_other();
    return by ? context_.ordering.operations.current().lost_waits(*by) : std::vector<events::LostWait>{};
}

bool Conflict::before_dependency_wait() const {
    const EpochKind kind = kind_of(other);
    if (kind == EpochKind::none || kind == EpochKind::old || kind == EpochKind::set)
        return false;
    const BulkOp* op = context_.ordering.bulk.find_epoch(other);
    return context_.ordering.operations.until_wait(op ? op->block : block_of(other));
}

bool Conflict::passed_on() const {
    const Operation* by = before_dependency_wait() ? operation_of_other() : nullptr;
    return by && context_.ordering.operations.current().let_in_after(*by);
}

Conflict::Thread Conflict::thread() const {
    return {warp.clock.block - context_.ordering.operations.base(), warp.clock.warp * 32 + lane};
}

std::optional<Conflict::Thread> Conflict::other_thread() const {
    const uint64_t base = context_.ordering.operations.base();
    if (const BulkOp* op = context_.ordering.bulk.find_epoch(other))
        return op->block < base ? std::nullopt : std::optional(Thread{op->block - base, op->warp * 32 + op->lane});
    const EpochKind kind = kind_of(other);
    if ((kind != EpochKind::plain && kind != EpochKind::strong && kind != EpochKind::copy) || block_of(other) < base)
        return std::nullopt;
    return Thread{block_of(other) - base, warp_of(other) * 32 + lane_of(other)};
}

Apart Conflict::apart() const {
    const auto there = other_thread();
    const machine::Grid* grid = context_.grid;
    if (!there)
        return Apart::in_grid;
    if (there->first == thread().first)
        return Apart::in_block;
    if (shared())
        return Apart::in_cluster;
    if (!grid)
        return Apart::in_grid;
    const auto cluster_of = [&](uint64_t linear) -> const uint64_t* {
        for (const auto& block : grid->resident)
            if (block->linear == linear)
                return &block->cluster;
        return nullptr;
    };
    const auto* mine = cluster_of(thread().first);
    const auto* theirs = cluster_of(there->first);
    return mine && theirs && *mine == *theirs ? Apart::in_cluster : Apart::in_grid;
}

bool Conflict::ordinary() const {
    const EpochKind kind = kind_of(other);
    return (kind == EpochKind::plain || kind == EpochKind::strong) && !other_operation();
}

bool Conflict::meant(uint32_t first, uint32_t second) const {
    const BulkOp* op = context_.ordering.bulk.find_epoch(other);
    const uint64_t block = op ? op->block : block_of(other);
    const uint32_t number = op ? op->warp : warp_of(other);
    return context_.intent.leads(first, second,
                                 block != warp.clock.block   ? Distance::other_block
                                 : number != warp.clock.warp ? Distance::same_block
                                                             : Distance::same_warp);
}

bool Conflict::same_line() const {
    return same_code(context_.places.at(pc, {}), context_.places.at(other_pc, {}));
}

bool Conflict::write_overtook_copy() const {
    return role == Role::async_read && shared() && ordinary() && other_wrote && !only_unfenced() && meant_first();
}

uint32_t Conflict::idle_wait() const {
    const BlockState* block = context_.blocks.find(warp.clock.block);
    return block ? block->idle_bulk_waits.by_another(warp.clock.warp, lane) : 0;
}

bool Conflict::group_waited() const {
    if (role != Role::matrix_read)
        return false;
    const uint32_t first = warp.clock.warp & ~3u;
    for (uint32_t number = first; number < first + 4; ++number) {
        const WarpState* state = context_.blocks.warp(warp.clock.block, number);
        for (uint32_t one = 0; one < 32; ++one)
            if (context_.ordering.ordered(state->clock, one, other, Proxy::async_shared))
                return true;
    }
    return false;
}

bool Conflict::wgmma_read_nothing() const {
    return unwritten && role == Role::async_write && bulk_ && bulk_->op->matrix;
}

std::optional<EarlyRead> Conflict::early_read() const {
    if (!ordinary() || other_wrote || only_unfenced() || !meant_first())
        return std::nullopt;
    EarlyRead read{role, other_warp_ && other_warp_->history.group_waits[lane_of(other)].pc, spot.space(), apart(),
                   name()};
    read.writer_waited = context_.places.library_call(phase_wait().pc);
    return read;
}

bool Conflict::writer_fenced() const {
    if (!other_warp_)
        return false;
    const WarpClock& clock = other_warp_->clock;
    return (shared() ? clock.fenced_shared : clock.fenced_global)[lane_of(other)] >= tick_of(other);
}

bool Conflict::writer_fenced_elsewhere() const {
    if (!other_warp_)
        return false;
    const WarpClock& clock = other_warp_->clock;
    return (shared() ? clock.fenced_global : clock.fenced_shared)[lane_of(other)] >= tick_of(other);
}

bool Conflict::scope_too_narrow() const {
    const WarpClock::NarrowEdge& narrow = warp.clock.narrow;
    const auto covers = [this](const ClockRef& clock) {
        const Chunk* chunk = clock ? clock->chunk(block_of(other)) : nullptr;
        return chunk && chunk->at(Plane::generic, warp_of(other), lane_of(other)) >= tick_of(other);
    };
    return covers(narrow.clock) && !covers(narrow.wide);
}

bool Conflict::learned_relaxed() const {
    const Chunk* chunk = warp.clock.clock(lane)->chunk(block_of(other));
    return chunk && chunk->at(Plane::seen, warp_of(other), lane_of(other)) >= tick_of(other);
}

std::optional<Conflict::RaisedFlag> Conflict::raised_flag() const {
    if (!ordinary() || !other_wrote || writes())
        return std::nullopt;
    enum class Raised : uint8_t { no, after_the_write, unmet };
    const auto raised = [&](const WarpClock::Observed& seen) {
        if (seen.pc == pc || kind_of(seen.write) != EpochKind::strong || block_of(seen.write) != block_of(other) ||
            !context_.ordering.operations.own(block_of(seen.write)))
            return Raised::no;
        if (((seen.write ^ other) & thread_field) == 0)
            return tick_of(seen.write) >= tick_of(other) ? Raised::after_the_write : Raised::no;
        const Distance distance = warp_of(seen.write) == warp_of(other) ? Distance::same_warp : Distance::same_block;
        if (context_.intent.apart(other_pc, seen.write_pc, distance)) // whatever they have passed since
            return Raised::unmet;
        const WarpState* raiser = context_.blocks.warp(block_of(seen.write), warp_of(seen.write));
        return !raiser || context_.ordering.ordered(raiser->clock, lane_of(seen.write), other) ? Raised::after_the_write
                                                                                               : Raised::no;
    };
    const auto found = [&](const WarpState& state, uint32_t by) -> std::optional<RaisedFlag> {
        const Raised how = by < state.clock.observed.size() ? raised(state.clock.observed[by]) : Raised::no;
        if (how == Raised::no)
            return std::nullopt;
        const WarpClock::Observed& seen = state.clock.observed[by];
        const WarpClock::NarrowEdge& narrow = state.clock.narrow;
        const bool fence = narrow.part == WarpClock::NarrowEdge::Part::fence_before && narrow.clock;
        const Spot at{seen.shared ? spot.block : nullptr, seen.at};
        return RaisedFlag{seen.write_pc,
                          seen.pc,
                          fmt::format("thread {} of block {}", warp_of(seen.write) * 32 + lane_of(seen.write),
                                      block_of(seen.write) - context_.ordering.operations.base()),
                          seen.shared && !at.block ? std::string() : name_of(context_, at),
                          block_of(seen.write) == warp.clock.block,
                          how == Raised::unmet,
                          fence ? narrow.pc : 0};
    };
    if (auto own = found(warp, lane))
        return own;
    const BlockState* block = context_.blocks.find(warp.clock.block);
    for (size_t i = 0; block && i < block->warps.size(); ++i)
        for (uint32_t by = 0; by < block->warps[i]->clock.observed.size(); ++by)
            if (auto another = found(*block->warps[i], by))
                return another;
    return std::nullopt;
}

std::optional<Conflict::NamedBarriers> Conflict::named_barriers() const {
    if (!ordinary() || !other_warp_ || other_warp_ == &warp || block_of(other) != warp.clock.block)
        return std::nullopt;
    const WarpHistory::NamedBarrier &mine = warp.history.named, &others = other_warp_->history.named;
    const bool met = mine.id == others.id && mine.turn == others.turn;
    if (met || !(mine.expected || others.expected))
        return std::nullopt;
    return NamedBarriers{mine, others};
}

/// Has the writer arrived once in each phase from the one that the reader waited for? Otherwise the phases are too
/// short: they do not count every thread.
bool Conflict::overrun(const WarpState* producer, uint32_t by, uint32_t written_in) const {
    const PhaseWait& wait = phase_wait();
    if (!producer || wait.before_first() || wait.again || written_in <= wait.phase)
        return false;
    for (uint32_t phase = wait.phase; phase != written_in; ++phase)
        if (!producer->history.arrival(by,
                                       [&](const Arrival& a) { return a.barrier == wait.barrier && a.phase == phase; }))
            return false;
    return role == Role::load || role == Role::async_read || role == Role::matrix_read;
}

std::optional<std::pair<uint32_t, uint32_t>> Conflict::crossed_barriers() const {
    const BlockState* block = context_.blocks.find(warp.clock.block);
    if (!block || !ordinary() || !shared() || block_of(other) != warp.clock.block)
        return std::nullopt;
    for (auto [a, b] : block->meetings) {
        const bool forth = context_.intent.leads(a, b, Distance::same_block);
        const bool back = context_.intent.leads(b, a, Distance::same_block);
        if (forth == back || same_code(context_.places.at(a, {}), context_.places.at(b, {})))
            continue;
        return forth ? std::pair(a, b) : std::pair(b, a);
    }
    return std::nullopt;
}

std::optional<LaterPhase> Conflict::find_later_phase() const {
    const PhaseWait& wait = phase_wait();
    if (!wait.barrier)
        return std::nullopt;
    if (copy_) {
        if (copy_->stage != CopyFacts::Stage::unwaited || !copy_->tracked || copy_->tracked->barrier != wait.barrier)
            return std::nullopt;
        const Arrival& tracked = *copy_->tracked;
        return LaterPhase{tracked.phase, tracked.pc, overrun(copy_->issuer, copy_->lane, tracked.phase)};
    }
    if (bulk_) {
        const BulkOp& op = *bulk_->op;
        if (bulk_->stage != BulkFacts::Stage::in_flight || !other_wrote || writes() || !op.by_barrier ||
            wait.barrier != op.barrier)
            return std::nullopt;
        // Unannounced bytes hold no phase open: then the phase was too short.
        const bool held_open = op.announced || (op.landed && op.expected > 0);
        return LaterPhase{op.issued_in, other_pc, held_open && overrun(bulk_->issuer, op.lane, op.issued_in), true};
    }
    if (!ordinary() || !other_wrote || role != Role::load || !shared() || !other_warp_)
        return std::nullopt;
    const Arrival* late = other_warp_->history.arrival(lane_of(other), [&](const Arrival& a) {
        return a.barrier == wait.barrier && (wait.before_first() || a.phase > wait.phase) && a.tick >= tick_of(other);
    });
    if (!late)
        return std::nullopt;
    return LaterPhase{late->phase, late->pc, overrun(other_warp_, lane_of(other), late->phase)};
}

} // namespace sim::hazards
