// How far copies run ahead of the waits for them, and what setmaxnreg leaves to warps: in numbers.
#include <algorithm>
#include <bit>
#include <map>

#include "sim/machine/exec.h"
#include "sim/provenance/provenance.h"

namespace sim::provenance {

namespace {

/// Is a group or phase with so many used bytes one of those that count?
std::vector<bool> that_count(const std::vector<uint64_t>& bytes) {
    const uint64_t best = bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
    std::vector<bool> counted(bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i)
        counted[i] = bytes[i] && 2 * bytes[i] >= best;
    return counted;
}

/// Have at least half of the words of a tile been read meanwhile?
bool mostly(uint32_t meanwhile, uint32_t words) {
    return words && 2 * uint64_t{meanwhile} >= words;
}

/// Extends the run of waits with nothing else in flight by the wait `number`, or ends it, and keeps the longest.
class Alone {
  public:
    explicit Alone(Ahead& of) : of_(of) {}
    void take(uint32_t number, bool alone) {
        if (!alone) {
            running_ = false;
            return;
        }
        from_ = running_ ? from_ : number;
        running_ = true;
        if (!of_.alone || number - from_ > of_.alone_to - of_.alone_from) {
            of_.alone = true;
            of_.alone_from = from_;
            of_.alone_to = number;
        }
    }

  private:
    Ahead& of_;
    bool running_ = false;
    uint32_t from_ = 0;
};

} // namespace

Tracker::Spot Tracker::spot_of(const events::Warp& warp, uint32_t mask) {
    for (const auto& fragment : warp.fragments)
        if (fragment.mask & mask)
            return {fragment.frame->function, fragment.pc};
    return {};
}

uint32_t Tracker::Spot::line() const {
    if (!function)
        return 0;
    const auto frames = function->module->sources().frames(*function->function, pc);
    return frames.chain.empty() ? 0 : uint32_t(frames.chain[frames.shown].place.line);
}

void Tracker::add_groups_ahead(Ahead& ahead, const std::vector<bool>& counts, const WarpCopies& warp) const {
    if (warp.waits.empty())
        return;
    std::vector<uint64_t> bytes;
    uint32_t begin = 0;
    for (const uint32_t end : warp.committed) {
        bytes.push_back(used_bytes(counts, std::span(warp.copies).subspan(begin, end - begin)));
        begin = end;
    }
    const auto counted = that_count(bytes);
    std::vector<uint32_t> before{0}; // groups that count
    for (const bool one : counted)
        before.push_back(before.back() + one);
    const auto within = [&](uint32_t first, uint32_t last) { return before[last] - before[first]; };

    const uint32_t prologue = warp.waits.front().last;
    uint32_t most = 0;
    for (const GroupWait& wait : warp.waits)
        most = std::max(most, within(wait.first, wait.last));
    Alone alone(ahead);
    for (uint32_t i = 0; i < warp.waits.size(); ++i) {
        const GroupWait& wait = warp.waits[i];
        const uint32_t awaited = within(wait.first, wait.last);
        if (wait.first < prologue || !awaited || within(wait.first, uint32_t(counted.size())) <= most)
            continue;
        const bool beside = mostly(wait.words_beside, wait.words) && within(wait.read_first, wait.read_last);
        ++ahead.waits;
        ahead.in_flight += awaited;
        ahead.reads += wait.words != 0;
        ahead.beside += beside;
        alone.take(i, awaited == 1 && !beside);
    }
}

void Tracker::add_stages_ahead(Ahead& ahead, const std::vector<bool>& counts, const BlockFlow& block) const {
    std::vector<uint64_t> bytes;
    for (const Stage& stage : block.stages)
        bytes.push_back(used_bytes(counts, stage.copies));
    auto counted = that_count(bytes);
    for (size_t i = 0; i < counted.size(); ++i)
        counted[i] = counted[i] && block.stages[i].leads;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> laps; // of a barrier: its first and its last stage
    for (uint32_t i = 0; i < block.stages.size(); ++i)
        if (counted[i])
            laps.try_emplace(block.stages[i].barrier, i, i).first->second.second = i;
    ahead.ring = std::max(ahead.ring, uint32_t(laps.size()));
    if (block.own_line && !ahead.own_line) {
        ahead.own_line = block.own_line;
        ahead.own_warp = block.own_warp;
    }
    Alone alone(ahead);
    uint32_t open = 0, number = 0;
    for (const auto& [kind, i, held] : block.events) {
        if (!counted[i] || kind == StageEvent::is_read)
            continue;
        if (kind != StageEvent::completes) {
            open += kind == StageEvent::opens ? 1u : -1u;
            continue;
        }
        const Stage& stage = block.stages[i];
        const auto& [first, last] = laps.at(stage.barrier);
        const uint32_t now = number++;
        if (i == first || i == last)
            continue;
        ++ahead.waits;
        ahead.in_flight += open;
        ahead.held += held;
        ahead.reads += stage.words != 0;
        // Some words suffice: a warp that reads before another one has issued the next copy overlaps no less.
        ahead.beside += stage.words_beside && counted[stage.beside];
        alone.take(now, open <= 1);
    }
}

void Tracker::add_registers(RegisterUse& use, const BlockFlow& block) {
    for (const WarpCopies& warp : block.warps) {
        if (!warp.register_limit)
            continue;
        ++(warp.raised ? use.raised : use.lowered);
        if (warp.sums >= warp.register_limit && !use.left) { // addresses and counters need registers, too
            use.left = warp.register_limit;
            use.sums = warp.sums;
            use.line = warp.limited_at.line();
        }
    }
}

} // namespace sim::provenance
