#include "check/overlap.h"

#include <algorithm>

#include <fmt/format.h>

#include "check/check.h"
#include "check/session.h"

namespace check {
namespace {

using sim::provenance::Ahead;

/// Of what is promised, this much earns all points.
constexpr double enough = 0.9;

double at_waits(const Ahead& ahead) {
    return static_cast<double>(ahead.in_flight) / static_cast<double>(ahead.waits);
}

/// How many tiles early a copy is issued, on average.
double earliness(const Ahead& ahead) {
    const double beside = static_cast<double>(ahead.beside) / static_cast<double>(std::max<uint64_t>(ahead.reads, 1));
    return at_waits(ahead) - 1 + beside;
}

const sim::provenance::Flow* shown() {
    return copies_end_late() ? flow() : nullptr;
}

} // namespace

void Overlap::take(const Ahead& ahead, double share, const std::string& what) {
    share = std::clamp(share, 0.0, 1.0);
    shares_ += share;
    ++calls_;
    if (share >= worst_)
        return;
    worst_ = share;
    said_ = what;
    if (ahead.alone)
        said_ +=
            fmt::format("\nbetween round {} and {} of a block, nothing else was in flight when it waited for a tile",
                        ahead.alone_from, ahead.alone_to);
    if (ahead.own_line)
        said_ += fmt::format("\nwarp {} waits at line {} for its own copies before it issues the next ones",
                             ahead.own_warp, ahead.own_line);
}

void Overlap::phases(uint32_t promised, std::string_view which) {
    if (const auto* seen = shown())
        in_flight(*seen, promised, which);
}

void Overlap::in_flight(const sim::provenance::Flow& seen, double promised, std::string_view which) {
    constexpr double one = 1.05; // measured numbers may be a little more
    const Ahead& ahead = seen.stages_ahead;
    const double found = ahead.waits ? at_waits(ahead) : seen.stages;
    const double share = promised > one ? (found - 1) / (promised - 1) : ahead.own_line ? 0 : 1;
    take(ahead, share,
         fmt::format("{}: after the first lap, {:.1f} of {:.2g} stages are in flight at a wait, on average", which,
                     found, promised));
}

void Overlap::ring(std::string_view which) {
    const auto* seen = shown();
    if (!seen)
        return;
    const Ahead& ahead = seen->stages_ahead;
    // Of two stages, one is filled while the other one is read, or both take turns: a wait shows no difference.
    if (ahead.ring <= 2)
        early(ahead, seen->stages - std::min(seen->stages, 1u), 1, which);
    else
        in_flight(*seen, ahead.ring - 1, which);
}

void Overlap::ring_of_products(std::string_view which) {
    const auto* seen = shown();
    if (!seen)
        return;
    const Ahead& ahead = seen->stages_ahead;
    const double held = ahead.waits ? static_cast<double>(ahead.held) / static_cast<double>(ahead.waits)
                                    : static_cast<double>(stats().max_matrix_groups);
    in_flight(*seen, ahead.ring - held, which);
}

void Overlap::groups(uint32_t promised, std::string_view which) {
    if (const auto* seen = shown())
        early(seen->groups_ahead, seen->groups, promised, which);
}

void Overlap::early_phases(uint32_t promised, std::string_view which) {
    if (const auto* seen = shown())
        early(seen->stages_ahead, seen->stages - std::min(seen->stages, 1u), promised, which);
}

void Overlap::early(const Ahead& ahead, double most, uint32_t promised, std::string_view which) {
    const double found = ahead.waits ? earliness(ahead) : most;
    take(ahead, found / promised,
         fmt::format("{}: after the first lap, a copy is issued {:.1f} tiles before its turn, on average; {} were "
                     "possible",
                     which, found, promised));
}

void Overlap::epilogues(std::string_view which) {
    const auto* seen = shown();
    if (!seen || !Session::current().follows_results) // results are not known then
        return;
    const auto& [loads, loads_beside, stores, stores_beside, work, paired, drained] = seen->epilogue;
    const auto share = [](uint64_t beside, uint64_t all) {
        return static_cast<double>(beside) / static_cast<double>(std::max<uint64_t>(all, 1));
    };
    const double of_loads = share(loads_beside, loads), of_stores = share(stores_beside, stores);
    take({}, (of_loads + of_stores) / 2,
         loads ? fmt::format("{}: of the loads from Tensor Memory, {:.0f} % run beside the products of the next tile, "
                             "and of the stores of results {:.0f} %",
                             which, 100 * of_loads, 100 * of_stores)
               : fmt::format("{}: no block multiplies another tile after one whose sums it has loaded", which));
}

void Overlap::turns(uint32_t products, std::string_view which) {
    const auto* seen = shown();
    if (!seen)
        return;
    constexpr uint64_t of_the_block = 2; // meetings at its beginning and its end
    const auto taken = static_cast<double>(std::max<uint64_t>(seen->turns.taken, 1));
    const double length = static_cast<double>(seen->turns.products) / taken;
    const uint64_t meetings = seen->turns.meetings - std::min(seen->turns.meetings, of_the_block);
    const double waits = std::min(static_cast<double>(meetings) / taken, 1.0);
    const double share = std::clamp(2 * length / products - 1, 0.0, 1.0) * (1 - waits / 2);
    take(
        {}, share,
        fmt::format("{}: a turn has {:.1f} products on average, and {:.0f} % of the turns are handed over by a barrier "
                    "at which both warpgroups wait",
                    which, length, 100 * waits));
}

void Overlap::judge(std::string_view promise) const {
    if (!calls_ || shares_ >= enough * calls_)
        return;
    throw Failed{.verdict = Verdict::mechanism,
                 .message = fmt::format("expected: {}\n{}", promise, said_),
                 .partly = true,
                 .share = shares_ / calls_};
}

} // namespace check
