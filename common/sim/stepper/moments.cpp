#include "sim/stepper/moments.h"

#include <algorithm>

#include "sim/rules/list.h"
#include "sim/stepper/ranges.h"

namespace sim::stepper {

using hazards::Finding, hazards::Sighting;

namespace {

bool has_thread(const Recording& recording, const Step& step, uint64_t block, uint32_t thread) {
    return step.warp == thread / 32 && step.mask >> thread % 32 & 1 && step.block < recording.blocks.size() &&
           recording.blocks[step.block] == block;
}

bool touches(const Recording& recording, const Step& step, const Sighting& seen) {
    if (!seen.shared)
        return true; // of global memory, the place has to do
    return step.memory < recording.blocks.size() && recording.blocks[step.memory] == seen.owner &&
           covers(step.ranges, seen.at);
}

bool is_access(const Recording& recording, uint32_t at, const Sighting& seen, bool other) {
    const Step& step = recording.steps[at];
    return std::ranges::find(step.pcs, other ? seen.other_pc : seen.pc) != step.pcs.end() &&
           has_thread(recording, step, other ? seen.other_block : seen.block,
                      other ? seen.other_thread : seen.thread) &&
           touches(recording, step, seen);
}

/// A listener may hear of an access before the detector does, or after it.
uint32_t access_at(const Recording& recording, uint32_t moment, const Sighting& seen) {
    const auto end = uint32_t(recording.steps.size());
    for (const uint32_t at : {moment - 1, moment})
        if (at < end && is_access(recording, at, seen, false))
            return at;
    for (uint32_t at = std::min(moment, end); at-- > 0;)
        if (is_access(recording, at, seen, false))
            return at;
    return none;
}

uint32_t access_before(const Recording& recording, uint32_t step, const Sighting& seen) {
    for (uint32_t at = step; at-- > 0;)
        if (is_access(recording, at, seen, true))
            return at;
    return none;
}

/// Where the thread was: an instruction may access memory without being a step.
uint32_t last_of(const Recording& recording, uint32_t moment, const Sighting& seen) {
    for (uint32_t at = std::min(moment + 1, uint32_t(recording.steps.size())); at-- > 0;)
        if (has_thread(recording, recording.steps[at], seen.block, seen.thread))
            return at;
    return none;
}

bool is_at(const Recording& recording, const Step& step, const hazards::Place& place) {
    if (step.place == none || place.file.empty() || recording.places[step.place].line != place.line ||
        recording.places[step.place].file != place.file)
        return false;
    if (place.threads.blocks().empty())
        return true;
    if (step.block >= recording.blocks.size())
        return false;
    const auto block = place.threads.blocks().find(recording.blocks[step.block]);
    return block != place.threads.blocks().end() && std::ranges::any_of(block->second, [&](uint32_t thread) {
               return step.warp == thread / 32 && step.mask >> thread % 32 & 1;
           });
}

uint32_t last_at(const Recording& recording, uint32_t end, const hazards::Place& place) {
    for (uint32_t at = std::min(end, uint32_t(recording.steps.size())); at-- > 0;)
        if (is_at(recording, recording.steps[at], place))
            return at;
    return none;
}

/// Where the device found that no thread can go on.
uint32_t last_stop(const Recording& recording, uint32_t end) {
    for (uint32_t at = std::min(end, uint32_t(recording.steps.size())); at-- > 0;)
        if (recording.steps[at].kind == Step::Kind::misuse &&
            recording.steps[at].number == uint32_t(events::Stopped::Why::deadlock))
            return at;
    return none;
}

/// Is the finding that nothing orders its second place before the first? Of other findings, the second place only
/// explains the first: the two need no edge.
bool says_unordered(const Finding& finding) {
    using namespace hazards;
    static const Rule* const rules[] = {&rule::barrier_init_race, &rule::barrier_reinitialised,
                                        &rule::map_without_release, &rule::map_without_acquire};
    return std::ranges::find(rules, finding.rule) != std::end(rules);
}

} // namespace

Moments moments(const Recording& recording, const Finding& finding) {
    const Sighting& seen = finding.seen;
    Moments found;
    if (seen.moment >> 32 != recording.number || recording.empty() || uint32_t(seen.moment) < recording.skipped)
        return found;
    const auto moment = uint32_t(uint32_t(seen.moment) - recording.skipped);
    if (seen.pc) {
        found.step = access_at(recording, moment, seen);
        if (found.step != none && seen.other_pc)
            found.other = access_before(recording, found.step, seen);
        if (found.step == none && !recording.skipped && !recording.left_out)
            found.step = last_of(recording, moment, seen);
        return found;
    }
    if (finding.rule == &hazards::rule::deadlock)
        found.step = last_stop(recording, moment + 1);
    if (found.step == none)
        found.step = last_at(recording, moment + 1, finding.first);
    uint32_t& before = says_unordered(finding) ? found.other : found.related;
    for (const hazards::Place& place : finding.others)
        if (before == none && found.step != none)
            before = last_at(recording, found.step, place);
    return found;
}

const Finding* worst(const std::vector<Finding>& findings) {
    for (const hazards::Severity severity : {hazards::Severity::error, hazards::Severity::warning})
        if (const auto found = std::ranges::find(findings, severity, &Finding::severity); found != findings.end())
            return &*found;
    return nullptr;
}

std::optional<Subject> other_blocks(const Recording& recording, const Finding& finding) {
    Subject subject{finding.seen.block, std::nullopt};
    if (!finding.seen.pc) {
        const auto& blocks = finding.first.threads.blocks();
        if (blocks.empty())
            return std::nullopt;
        subject.block = blocks.begin()->first;
    } else if (finding.seen.other_pc && finding.seen.other_block != finding.seen.block) {
        subject.also = finding.seen.other_block;
    }
    const auto recorded = [&](uint64_t block) {
        return std::ranges::find(recording.blocks, block) != recording.blocks.end();
    };
    const bool all = recorded(subject.block) && (!subject.also || recorded(*subject.also));
    return all ? std::nullopt : std::optional(subject);
}

} // namespace sim::stepper
