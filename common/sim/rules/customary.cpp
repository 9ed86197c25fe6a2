#include "sim/rules/customary.h"

#include <fmt/format.h>

namespace sim::hazards {
namespace {

/// After the read, the reader's warpgroup has met at a wgmma.mma_async, and this access is ordered after what one of
/// the group's threads did later: usually the arrival by which it released the bytes for all of them.
bool met_at_product(const Conflict& conflict) {
    if (conflict.other_wrote)
        return false;
    const uint64_t block = block_of(conflict.other);
    const uint32_t warp = warp_of(conflict.other), first = warp & ~3u;
    const WarpState* group = conflict.context().blocks.warp(block, first);
    const WarpClock& clock = conflict.warp.clock;
    const Chunk* known = clock.clock(conflict.lane)->chunk(block);
    const auto after = [&](uint32_t by, uint32_t tick) {
        if (block == clock.block && by == clock.warp)
            return clock.tick > tick;
        for (uint32_t lane = 0; known && lane < 32; ++lane)
            if (known->at(Plane::generic, by, lane) > tick)
                return true;
        return false;
    };
    return group && group->history.any_meeting([&](const WarpHistory::Meeting& meeting) {
        bool later = false;
        for (uint32_t i = 0; i < meeting.ticks.size() && !later; ++i)
            later = after(first + i, meeting.ticks[i]);
        return later && tick_of(conflict.other) <= meeting.ticks[warp - first];
    });
}

} // namespace

std::optional<Severity> only_customary_edge(const Conflict& conflict, Explanation& text) {
    const EpochKind kind = kind_of(conflict.other);
    if (kind != EpochKind::plain && kind != EpochKind::strong)
        return std::nullopt;
    const uint32_t lane = conflict.lane, by = lane_of(conflict.other), tick = tick_of(conflict.other);
    const uint64_t block = block_of(conflict.other);
    const WarpClock& clock = conflict.warp.clock;
    const WarpHistory& history = conflict.warp.history;
    if (block == clock.block && warp_of(conflict.other) == clock.warp && (history.rendezvous_mask[lane] >> by & 1) &&
        history.rendezvous_tick[lane] >= tick && (history.rendezvous_mask[by] >> lane & 1)) {
        text.message +=
            " The two lanes synchronise only through a shuffle or a vote, which does not order memory accesses.";
        return Severity::note;
    }
    if (met_at_product(conflict)) {
        text.message += " In between, the warps of the reader's warpgroup have met at wgmma.mma_async, which makes "
                        "threads wait and orders no memory accesses.";
        return Severity::note;
    }
    if (conflict.learned_relaxed() && !conflict.scope_too_narrow()) {
        text.message +=
            " This thread learned of the write through a relaxed atomic operation, and no fence follows it.";
        text.remedy = "Put __threadfence() after the atomic operation, or give that operation acquire semantics.";
        if (const auto flag = conflict.raised_flag())
            text.also.emplace_back(flag->seen_pc, "saw the flag by a relaxed access");
        return Severity::warning;
    }
    return std::nullopt;
}

void named_barriers_apart(const Conflict& conflict, Explanation& text) {
    if (text.severity == Severity::error)
        if (const auto barriers = conflict.named_barriers())
            named_barriers_apart(*barriers, text);
}

void named_barriers_apart(const Conflict::NamedBarriers& barriers, Explanation& text) {
    const auto &mine = barriers.mine, &others = barriers.others;
    const auto& shown = mine.expected ? mine : others;
    if (mine.expected && others.expected && mine.id != others.id)
        text.message +=
            fmt::format(" One of the threads has passed named barrier {} (for {} threads), the other one named "
                        "barrier {} (for {} threads), so they have not met.",
                        mine.id, mine.expected, others.id, others.expected);
    else if (mine.expected && others.expected)
        text.message += fmt::format(" Both threads have passed named barrier {}, but not in the same turn: it goes on "
                                    "whenever {} threads have arrived, whichever they are, and more come to it.",
                                    shown.id, shown.expected);
    else
        text.message +=
            fmt::format(" One of the threads has passed named barrier {}, which goes on when {} threads have "
                        "arrived; the other one was not among them.",
                        shown.id, shown.expected);
    text.remedy =
        "Let all threads that have to meet pass the same barrier, with their number as its count; groups that do "
        "not wait for each other need a barrier number each.";
    text.also.emplace_back(mine.expected ? mine.pc : others.pc, fmt::format("passed named barrier {}", shown.id));
    if (mine.expected && others.expected && mine.pc != others.pc)
        text.also.emplace_back(others.pc, fmt::format("passed named barrier {}", others.id));
}

} // namespace sim::hazards
