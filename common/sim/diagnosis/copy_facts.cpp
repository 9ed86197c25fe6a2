// Facts about a copy that an access is not ordered with.
#include <algorithm>

#include "sim/diagnosis/conflict.h"

namespace sim::hazards {

// --- cp.async -------------------------------------------------------------------------------------------------------

/// Is the issue of the copy ordered before this access?
bool Conflict::issue_known(const CopyFacts& facts) const {
    const WarpHistory& history = facts.issuer->history;
    if (facts.index <= history.copies_at_barrier)
        return true;
    const Chunk* chunk = warp.clock.clock(lane)->chunk(facts.issuer->clock.block);
    const uint32_t known = chunk ? chunk->at(Plane::generic, facts.issuer->clock.warp, facts.lane) : 0;
    for (const auto& commit : history.commits)
        if ((commit.mask >> facts.lane & 1) && commit.upto >= facts.index)
            return commit.tick <= known;
    const Arrival* arrival = history.arrival(facts.lane, [&](const Arrival& a) { return a.copies >= facts.index; });
    return arrival && arrival->tick <= known;
}

CopyFacts::Stage Conflict::copy_stage(CopyFacts& facts) const {
    using Stage = CopyFacts::Stage;
    if (!facts.issuer)
        return Stage::unwaited;
    // In a loop, the copy may be the next round's, which has come too soon.
    if (role == Role::load && !facts.own && !issue_known(facts) && meant(pc, other_pc))
        return Stage::overtaken;
    const GroupWait& wait = *facts.wait;
    const bool waits_later = wait.pc && !facts.own && meant(pc, wait.pc) && context_.intent.unwaited(other_pc, pc);
    if (facts.issuer->clock.copies_done[facts.lane] >= facts.index && (!waits_later || role == Role::copy_destination))
        return Stage::complete;
    if (waits_later)
        return Stage::waits_later;
    if (wait.pc == 0 || wait.issued < facts.index)
        return Stage::unwaited;
    uint32_t covered = 0; // copies that were committed when the thread waited
    const WarpHistory& history = facts.issuer->history;
    for (size_t i = 0; i < history.commits.size(); ++i) {
        if (!(history.commits[i].mask >> facts.lane & 1))
            continue;
        if (history.commits_dropped + i < wait.commits)
            covered = std::max(covered, history.commits[i].upto);
        else
            --facts.groups;
    }
    return covered < facts.index ? Stage::uncommitted : Stage::pending;
}

CopyFacts Conflict::copy_facts() const {
    CopyFacts facts;
    facts.issuer = other_warp_;
    facts.lane = lane_of(other);
    facts.index = tick_of(other);
    facts.own = other_warp_ == &warp && facts.lane == lane;
    if (facts.issuer) {
        const WarpHistory& history = facts.issuer->history;
        facts.group = history.group_of(facts.lane, facts.index, facts.groups);
        facts.wait = &history.group_waits[facts.lane];
        facts.tracked =
            history.arrival(facts.lane, [&](const Arrival& a) { return a.tracks && a.copies >= facts.index; });
        if (phase_wait().barrier)
            facts.arrival = history.arrival(facts.lane, [&](const Arrival& a) {
                return !a.tracks && a.copies >= facts.index && a.barrier == phase_wait().barrier;
            });
    }
    facts.stage = copy_stage(facts);
    if (facts.own && facts.stage == CopyFacts::Stage::unwaited && context_.intent.unwaited(other_pc, pc))
        facts.next_wait = context_.intent.next_wait(pc);
    return facts;
}

uint32_t effects_at(const Places& places, uint32_t pc) {
    const auto* function = places.function_at(pc);
    return function ? function->ops[pc - function->first_pc].effects : 0;
}

bool is_store(const Places& places, uint32_t pc) {
    constexpr uint32_t both = machine::effect::stores | machine::effect::completes_tx;
    return (effects_at(places, pc) & both) == both;
}

// --- bulk copies ----------------------------------------------------------------------------------------------------

/// How the issuer of a copy in a bulk async-group has waited for it; in_flight: it has not.
BulkFacts::Stage Conflict::group_stage(BulkFacts& facts) const {
    using Stage = BulkFacts::Stage;
    const BulkOp& op = *facts.op;
    const WarpHistory& history = facts.issuer->history;
    const BulkWait& wait = history.bulk_waits[op.lane];
    const GroupWait& copies = history.group_waits[op.lane];
    const bool waited = wait.pc && wait.issued >= op.index;
    const bool read = facts.issuer->clock.bulk_read[op.lane] >= op.index;
    if (wait.pc && !facts.own && meant(pc, wait.pc) && context_.intent.unwaited(other_pc, pc))
        return Stage::in_flight; // its wait comes too late for this access
    facts.wait_pc = wait.pc;
    if (!other_wrote && read)
        return Stage::read;
    if (waited && history.bulk_committed[op.lane] < op.index)
        return Stage::uncommitted;
    if (waited && !read)
        return Stage::pending;
    if (!waited && !op.by_barrier && copies.pc && copies.bulk >= op.index) {
        facts.wait_pc = copies.pc;
        return Stage::waited_as_copy;
    }
    return Stage::in_flight;
}

BulkFacts Conflict::bulk_facts() const {
    using Stage = BulkFacts::Stage;
    BulkFacts facts;
    facts.op = context_.ordering.bulk.find_epoch(other);
    const BulkOp& op = *facts.op;
    const BlockState* block = context_.blocks.find(op.block);
    facts.issuer = context_.blocks.warp(op.block, op.warp);
    facts.own = facts.issuer == &warp && op.lane == lane;
    if (op.matrix || op.tensor_group)
        return facts;
    const bool grouped = !op.by_barrier || reads_map(other);
    const uint32_t idle_wait = !grouped || !block ? 0 : block->idle_bulk_waits.by_another(op.warp, op.lane);
    if (!facts.own && !Ordering::issue_ordered(warp.clock, lane, op) && (!other_wrote || role == Role::load) &&
        meant(pc, other_pc)) {
        const uint32_t fence = facts.issuer ? facts.issuer->history.proxy_fence_pc : 0;
        facts.fence_pc = fence && meant(pc, fence) && meant(fence, other_pc) ? fence : 0;
        facts.stage = Stage::overtaken;
        return facts;
    }
    if (grouped && facts.issuer)
        facts.stage = group_stage(facts);
    if (facts.stage != Stage::in_flight)
        return facts;
    const bool done = facts.issuer && facts.issuer->clock.bulk_done[op.lane] >= op.index;
    // Two blocks store to the same bytes: no thread of the first block could have waited for the second one.
    const bool stored_by_another_block = role == Role::async_write && op.block != warp.clock.block;
    facts.wait_pc = idle_wait;
    if (!other_wrote) {
        facts.stage = idle_wait ? Stage::waited_by_another : Stage::in_flight;
    } else if (!op.by_barrier && facts.issuer && facts.issuer->clock.bulk_read[op.lane] >= op.index && !done) {
        facts.wait_pc = facts.issuer->history.last_bulk_wait_pc;
        facts.stage = Stage::read_only_wait;
    } else if (idle_wait && facts.issuer && !done && !stored_by_another_block) {
        facts.stage = Stage::waited_by_another;
    } else if (!op.by_barrier && done) {
        facts.stage = Stage::complete;
    }
    return facts;
}

} // namespace sim::hazards
