// What was followed, in numbers.
#include <algorithm>

#include "sim/provenance/provenance.h"

namespace sim::provenance {

// `counts`: the copies on which a result depends.
uint64_t Tracker::used_bytes(const std::vector<bool>& counts, std::span<const uint32_t> copies) const {
    uint64_t sum = 0;
    for (const uint32_t copy : copies)
        sum += counts[copy] ? copies_[copy].used : 0;
    return sum;
}

uint32_t Tracker::groups(const std::vector<bool>& counts, const WarpCopies& warp) const {
    std::vector<uint64_t> bytes;
    uint32_t begin = 0;
    for (const uint32_t end : warp.committed) {
        bytes.push_back(used_bytes(counts, std::span(warp.copies).subspan(begin, end - begin)));
        begin = end;
    }
    const uint64_t best = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    uint32_t most = 0;
    for (const auto& [first, last] : warp.in_flight)
        most = std::max(most, uint32_t(std::count_if(bytes.begin() + first, bytes.begin() + last,
                                                     [&](uint64_t b) { return b && 2 * b >= best; })));
    return most;
}

uint32_t Tracker::stages(const std::vector<bool>& counts, const BlockFlow& block) const {
    std::vector<uint64_t> bytes;
    for (const Stage& stage : block.stages)
        bytes.push_back(used_bytes(counts, stage.copies));
    const uint64_t best = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    uint32_t open = 0, most = 0;
    std::vector<bool> is_open(bytes.size());
    for (const auto& [kind, stage, held] : block.events) {
        if (const uint64_t b = bytes[stage]; !b || 2 * b < best || kind == StageEvent::completes)
            continue;
        is_open[stage] = kind == StageEvent::is_read ? is_open[stage] : kind == StageEvent::opens;
        if (kind == StageEvent::is_read)
            most = std::max(most, open + !is_open[stage]);
        else
            open += kind == StageEvent::opens ? 1u : -1u;
    }
    return most;
}

void Tracker::add_results(Flow& flow, std::vector<Origin>& origins) const {
    for (const Range& input : followed_.inputs)
        flow.inputs += input.bytes;
    for (const Range& range : followed_.results)
        for (uint64_t at = range.address; at < range.address + range.bytes; at += GlobalWords::bytes) {
            const Word* word = global_.find(at);
            if (!word || !word->written)
                continue;
            const bool landed = origins_.is_landed(word->origin);
            flow.results += GlobalWords::bytes;
            flow.dependent += landed ? GlobalWords::bytes : 0;
            flow.multiplied += origins_.is_multiplied(word->origin) ? GlobalWords::bytes : 0;
            flow.multiplied_in_place += origins_.is_multiplied_in_place(word->origin) ? GlobalWords::bytes : 0;
            for (size_t i = 0; i < means_count; ++i)
                flow.stored[i] += landed && word->means >> i & 1 ? GlobalWords::bytes : 0;
            if (origins.empty() || origins.back() != word->origin)
                origins.push_back(word->origin);
        }
    flow.reloaded = reloaded_;
    flow.reloaded_products = reloaded_products_;
}

Flow Tracker::flow() const {
    Flow flow;
    flow.epilogue = epilogues_.sum();
    std::vector<bool> counts(copies_.size(), true);
    if (follows_values()) {
        std::vector<Origin> origins;
        add_results(flow, origins);
        counts = origins_.copies(origins, copies_.size());
    }
    for (size_t i = 1; i < copies_.size(); ++i) {
        const Copy& copy = copies_[i];
        const auto add = [&](Moved& to) {
            to.copied += copy.bytes;
            to.used += counts[i] ? copy.used : 0;
        };
        for (size_t means = 0; means < means_count; ++means)
            if (copy.means >> means & 1)
                add(flow.by[means]);
        if (!(copy.means >> size_t(Means::peer) & 1))
            add(flow);
    }
    const auto add = [&](const BlockFlow& block) {
        for (const WarpCopies& warp : block.warps)
            flow.groups = std::max(flow.groups, groups(counts, warp)),
            add_groups_ahead(flow.groups_ahead, counts, warp);
        flow.stages = std::max(flow.stages, stages(counts, block));
        add_stages_ahead(flow.stages_ahead, counts, block);
        add_registers(flow.registers, block);
        flow.turns.products += block.turns.products;
        flow.turns.changes += block.turns.changes;
        flow.turns.taken += block.turns.taken;
        flow.turns.meetings += block.turns.meetings;
    };
    for (const BlockFlow& block : ended_)
        add(block);
    for (const auto& [_, block] : running_)
        add(block);
    return flow;
}

} // namespace sim::provenance
