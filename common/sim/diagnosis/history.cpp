#include "sim/diagnosis/history.h"

#include <algorithm>

namespace sim::hazards {

void WarpHistory::remember(const Commit& commit) {
    if (commits.size() > 4096) {
        commits.erase(commits.begin(), commits.begin() + 2048);
        commits_dropped += 2048;
    }
    commits.push_back(commit);
}

uint32_t WarpHistory::group_of(uint32_t lane, uint32_t index, uint32_t& groups) const {
    uint32_t group = 0;
    groups = 0;
    for (const auto& commit : commits)
        if (commit.mask >> lane & 1) {
            ++groups;
            if (!group && commit.upto >= index)
                group = groups;
        }
    return group;
}

void WarpHistory::remember(const Arrival& arrival) {
    if (arrival_count_) { // lanes of one instruction may arrive one by one
        Arrival& last = arrivals_[(arrival_count_ - 1) % arrivals_.size()];
        if (last.pc == arrival.pc && last.barrier == arrival.barrier && last.phase == arrival.phase &&
            last.tracks == arrival.tracks && last.copies == arrival.copies && !(last.mask & arrival.mask)) {
            last.mask |= arrival.mask;
            last.tick = arrival.tick;
            return;
        }
    }
    arrivals_[arrival_count_++ % arrivals_.size()] = arrival;
}

uint32_t WarpHistory::passed(uint32_t mask, uint32_t barrier, uint32_t phase) {
    uint32_t before = 0;
    for (const Passed& old : passed_)
        if (old.barrier == barrier && old.phase == phase)
            before |= old.mask & mask;
    if (mask & ~before)
        passed_[passed_count_++ % passed_.size()] = {mask, barrier, phase};
    return before;
}

bool WarpHistory::has_passed(uint32_t mask, uint32_t barrier) const {
    return std::ranges::any_of(passed_, [&](const Passed& one) { return one.barrier == barrier && one.mask & mask; });
}

uint32_t WarpHistory::last_passed(uint32_t mask, uint32_t barrier) const {
    uint32_t last = UINT32_MAX;
    for (const Passed& one : passed_)
        if (one.barrier == barrier && (one.mask & mask) && int32_t(one.phase) > int32_t(last))
            last = one.phase;
    return last;
}

} // namespace sim::hazards
