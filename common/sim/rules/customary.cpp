#include "sim/rules/customary.h"

#include <fmt/format.h>

namespace sim::hazards {

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
