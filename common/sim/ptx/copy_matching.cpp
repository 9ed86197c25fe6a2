#include "sim/ptx/copy_matching.h"

#include <algorithm>
#include <limits>

namespace sim::ptx {
namespace {

constexpr double skipped = 1, most_skipped = 3;
constexpr double start_over = 2, start_over_far = 0.001;
constexpr double stay = 3, stay_seen = 0.5;
constexpr double close_enough = 1.05; ///< one skipped instruction is no proof

double walk(int32_t from, int32_t to, bool repeats) {
    if (from < 0)
        return 0;
    if (to > from)
        return std::min(most_skipped, skipped * (to - from - 1));
    if (to == from)
        return repeats ? stay_seen : stay;
    return start_over + start_over_far * std::min(500, from - to);
}

} // namespace

std::vector<std::vector<uint32_t>> match_copies(const std::vector<SequenceStep>& steps,
                                                const std::vector<bool>& repeats) {
    // Cheapest walk to each choice from the front, then from the back; their sum is the cheapest walk through it.
    std::vector<std::vector<double>> front(steps.size());
    const auto& costs = [&](size_t t) -> const std::vector<SiteChoice>& { return steps[t].choices; };
    for (size_t t = 0; t < steps.size(); ++t) {
        for (const SiteChoice& choice : costs(t)) {
            double best = t == 0 ? 0 : std::numeric_limits<double>::infinity();
            for (size_t p = 0; t > 0 && p < costs(t - 1).size(); ++p)
                best = std::min(best, front[t - 1][p] + walk(costs(t - 1)[p].position, choice.position, repeats[t]));
            front[t].push_back(best + choice.cost);
        }
    }
    std::vector<std::vector<uint32_t>> result(steps.size());
    std::vector<double> back, next_back;
    for (size_t t = steps.size(); t-- > 0;) {
        back.assign(costs(t).size(), 0);
        for (size_t c = 0; c < costs(t).size() && t + 1 < steps.size(); ++c) {
            back[c] = std::numeric_limits<double>::infinity();
            for (size_t n = 0; n < costs(t + 1).size(); ++n) {
                const SiteChoice& next = costs(t + 1)[n];
                back[c] = std::min(back[c], next_back[n] + next.cost +
                                                walk(costs(t)[c].position, next.position, repeats[t + 1]));
            }
        }
        double best = std::numeric_limits<double>::infinity();
        for (size_t c = 0; c < back.size(); ++c)
            best = std::min(best, front[t][c] + back[c]);
        for (uint32_t c = 0; c < back.size(); ++c)
            if (front[t][c] + back[c] <= best + close_enough)
                result[t].push_back(c);
        next_back = back;
    }
    return result;
}

} // namespace sim::ptx
