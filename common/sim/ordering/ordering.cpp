#include "sim/ordering/ordering.h"

#include <algorithm>

namespace sim::hazards {
namespace {

Plane plane_of(EpochKind kind, Proxy proxy) {
    if (kind == EpochKind::copy)
        return proxy == Proxy::generic ? Plane::copies : Plane::copies_fenced;
    return proxy == Proxy::generic        ? Plane::generic
           : proxy == Proxy::async_shared ? Plane::fenced_shared
                                          : Plane::fenced_global;
}

} // namespace

/// Is an operation in `known` ordered after the operation that had this block? (A kernel in one stream reads data that
/// another stream has copied, and is ordered after it through a kernel behind the copy.)
bool Ordering::ordered_through(const Clock& known, uint64_t block) const {
    const Operation* operation = operations.of_block(block);
    const Operation& running = operations.current();
    const auto& entries = known.entries();
    for (size_t i = 0; operation && i < entries.size(); ++i) {
        if (operations.own(entries[i].block)) { // they follow one another
            i = size_t(std::ranges::upper_bound(entries, running.dependencies(), {}, &Clock::Entry::block) -
                       entries.begin()) -
                1;
            continue;
        }
        const Operation* by = operations.of_block(entries[i].block);
        if (by && by->base != operation->base && by->after(*operation, entries[i].block == by->dependencies()) &&
            entries[i].chunk->any(Plane::generic))
            return true;
    }
    return false;
}

/// `block` is one of another operation: is that ordered as a whole?
bool Ordering::other_ordered(const WarpClock& warp, uint32_t lane, uint64_t block) const {
    if (operations.ordered(block))
        return true;
    const ClockRef& known = warp.clock(lane);
    if (!known)
        return false;
    return (operations.until_wait(block) && known->chunk(operations.current().dependencies())) ||
           ordered_through(*known, block);
}

/// Is a wait of its issuer for the bulk group of this copy ordered before the lane?
bool Ordering::group_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op, bool was_read) {
    if (op.block == warp.block && op.warp == warp.warp && op.lane == lane)
        return (was_read ? warp.bulk_read : warp.bulk_done)[lane] >= op.index;
    return warp.at(lane, op.block, was_read ? Plane::bulk_read : Plane::bulk_done, op.warp, op.lane) >= op.index;
}

/// Is a phase that a commit of its thread has arrived in, and so its completion, known to the lane?
bool Ordering::tensor_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op) const {
    return commits.any_after(op, [&](const TensorCommits::Arrival& arrival) {
        return warp.phases(lane, arrival.block, arrival.barrier) > arrival.phase;
    });
}

bool Ordering::bulk_ordered(const WarpClock& warp, uint32_t lane, Epoch e, bool was_read) const {
    const BulkOp* op = bulk.find_epoch(e);
    if (!op) {
        lost_track_of_copies = lost_track_of_copies || operations.current().order;
        return true;
    }
    if (!operations.own(op->block) && other_ordered(warp, lane, op->block))
        return true;
    if (op->by_barrier) {
        if (op->landed && warp.phases(lane, op->barrier_block, op->barrier) > op->phase)
            return true;
        return reads_map(e) && group_ordered(warp, lane, *op, true); // a group may contain a load's reading of its map
    }
    if (op->tensor_group)
        return tensor_ordered(warp, lane, *op);
    if (op->matrix && op->block == warp.block && op->warp == (warp.warp & ~3u) && warp.matrices_done >= op->index)
        return true;
    if (op->matrix)
        return warp.at(lane, op->block, Plane::matrices, op->warp, 0) >= op->index;
    return group_ordered(warp, lane, *op, was_read);
}

bool Ordering::own_ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy) {
    const uint32_t tick = tick_of(e);
    if (kind_of(e) == EpochKind::copy) { // waited for, or through an mbarrier that tracked it
        const bool generic = proxy == Proxy::generic;
        if ((generic ? warp.copies_done : warp.copies_fenced)[lane] >= tick)
            return true;
        return warp.at(lane, warp.block, generic ? Plane::copies : Plane::copies_fenced, warp.warp, lane) >= tick;
    }
    switch (proxy) {
    case Proxy::generic:
        return true;
    case Proxy::async_shared:
        return warp.fenced_shared[lane] >= tick;
    case Proxy::async_global:
        return warp.fenced_global[lane] >= tick;
    }
    return false;
}

bool Ordering::ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy, bool was_read) const {
    switch (kind_of(e)) {
    case EpochKind::none:
    case EpochKind::old:
        return true;
    case EpochKind::host:
        return other_ordered(warp, lane, block_of(e));
    case EpochKind::async:
        return bulk_ordered(warp, lane, e, was_read);
    default:
        break;
    }
    const uint64_t block = block_of(e);
    if (!operations.own(block) && other_ordered(warp, lane, block))
        return true;
    if (block == warp.block && warp_of(e) == warp.warp && lane_of(e) == lane)
        return own_ordered(warp, lane, e, proxy);
    return warp.at(lane, block, plane_of(kind_of(e), proxy), warp_of(e), lane_of(e)) >= tick_of(e);
}

bool Ordering::ordered_for_all(const WarpClock& warp, Epoch e) const {
    const EpochKind kind = kind_of(e);
    if ((kind == EpochKind::plain || kind == EpochKind::strong) && block_of(e) == warp.block)
        return warp.known_to_all()[warp_of(e)] >= tick_of(e);
    if (kind == EpochKind::old)
        return true;
    if (kind == EpochKind::async || kind == EpochKind::set || kind == EpochKind::none)
        return false;
    if (!operations.own(block_of(e)) &&
        (operations.ordered(block_of(e)) || (warp.one_clock() && other_ordered(warp, 0, block_of(e)))))
        return true;
    if (kind == EpochKind::host || !warp.one_clock())
        return false;
    return warp.at_least(0, block_of(e), plane_of(kind, Proxy::generic), warp_of(e)) >= tick_of(e);
}

bool Ordering::warp_ordered(const WarpClock& warp, uint32_t lane, Epoch e, Proxy proxy) {
    return warp.at_least(lane, block_of(e), plane_of(kind_of(e), proxy), warp_of(e)) >= tick_of(e);
}

bool Ordering::issue_ordered(const WarpClock& warp, uint32_t lane, const BulkOp& op) {
    if (op.block == warp.block && op.warp == warp.warp && op.lane == lane)
        return true;
    return warp.at(lane, op.block, Plane::generic, op.warp, op.lane) >= op.tick;
}

uint64_t Ordering::thread(Epoch e) const {
    if (has_lane(e))
        return e & thread_field;
    const BulkOp* op = bulk.find_epoch(e);
    return op ? make_epoch(EpochKind::none, op->block, op->warp, op->lane, 0) : 0;
}

bool Ordering::elsewhere(Epoch e) const {
    const uint64_t by = thread(e);
    return by && !operations.own(block_of(by));
}

bool Ordering::comes_first(Epoch a, Epoch b) const {
    return elsewhere(a) && thread(a) < thread(b) &&
           operations.of_block(block_of(thread(a))) == operations.of_block(block_of(thread(b)));
}

} // namespace sim::hazards
