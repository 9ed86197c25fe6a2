#include "sim/timeline/estimate.h"

namespace sim::timeline {

std::optional<Estimate> estimate(const Recording& recording, const Model& model) {
    if (recording.copies.empty() || recording.hangs)
        return std::nullopt;
    const Timeline own = replay(recording, model);
    return Estimate{own.cycles, replay(recording, model, Copies::awaited).cycles, bound(recording, model, own)};
}

} // namespace sim::timeline
