#include "sim/protocol/record.h"

#include <algorithm>
#include <map>

namespace sim::protocol {
namespace {

bool is_step(const Operation& operation) {
    return operation.kind != Kind::poll && operation.kind != Kind::land;
}

/// Splits the parts wherever a mask divides one.
void refine(std::vector<uint32_t>& parts, uint32_t mask) {
    for (size_t i = 0, count = parts.size(); i < count; ++i)
        if (const uint32_t inside = parts[i] & mask, outside = parts[i] & ~mask; inside && outside) {
            parts[i] = inside;
            parts.push_back(outside);
        }
}

} // namespace

Actors::Actors(const Record& record) {
    using Warp = std::pair<uint32_t, uint32_t>;
    std::map<Warp, std::vector<uint32_t>> masks;
    for (const Operation& one : record.operations)
        if (is_step(one)) {
            auto& of_warp = masks[{one.block, one.warp}];
            if (of_warp.empty() || of_warp.back() != one.mask)
                of_warp.push_back(one.mask);
        }
    std::map<Warp, std::vector<uint32_t>> actors_of;
    for (auto& [warp, of_warp] : masks) {
        std::ranges::sort(of_warp);
        const auto first = std::unique(of_warp.begin(), of_warp.end()), last = of_warp.end();
        of_warp.erase(first, last);
        uint32_t lanes = 0;
        for (const uint32_t mask : of_warp)
            lanes |= mask;
        std::vector<uint32_t> parts{lanes};
        for (const uint32_t mask : of_warp)
            refine(parts, mask);
        std::ranges::sort(parts);
        for (const uint32_t part : parts) {
            actors_of[warp].push_back(uint32_t(all.size()));
            all.push_back({warp.first, warp.second, part, {}});
        }
    }
    for (uint32_t i = 0; i < record.operations.size(); ++i) {
        first_.push_back(uint32_t(members_.size()));
        const Operation& one = record.operations[i];
        if (is_step(one))
            for (const uint32_t actor : actors_of[{one.block, one.warp}])
                if (all[actor].mask & one.mask) {
                    members_.push_back(actor);
                    all[actor].steps.push_back(i);
                }
    }
    first_.push_back(uint32_t(members_.size()));
}

} // namespace sim::protocol
