#include "sim/timeline/reuse.h"

#include <algorithm>

namespace sim::timeline {

void Reuse::piece(uint64_t address, uint64_t bytes) {
    for (uint64_t at = address / sector; at * sector < address + bytes; ++at)
        if (pieces_.empty() || pieces_.back() != at)
            pieces_.push_back(at);
}

void Reuse::loaded(uint32_t event) {
    std::ranges::sort(pieces_);
    pieces_.erase(std::unique(pieces_.begin(), pieces_.end()), pieces_.end());
    for (const uint64_t at : pieces_) {
        if (loads_.size() < most)
            ++loads_[at];
        if (event != none)
            recorded_.emplace_back(event, at);
    }
    pieces_.clear();
}

void Reuse::settle(std::vector<Event>& events) const {
    struct Share {
        double cached = 0;
        uint32_t sectors = 0;
    };
    std::vector<Share> shares(events.size());
    for (const auto& [event, at] : recorded_) {
        const auto found = loads_.find(at);
        Share& share = shares.at(event);
        ++share.sectors;
        share.cached += found == loads_.end() ? 0 : 1 - 1.0 / found->second;
    }
    for (size_t i = 0; i < events.size(); ++i)
        if (const Share& share = shares[i]; share.sectors)
            events[i].cached = uint32_t(events[i].bytes * share.cached / share.sectors);
}

} // namespace sim::timeline
