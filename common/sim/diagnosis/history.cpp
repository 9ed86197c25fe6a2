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

void WarpHistory::remember(const Meeting& meeting) {
    if (meeting_count_) { // none of the warps has released anything since: that one says no more than this one
        Meeting& last = meetings_[(meeting_count_ - 1) % meetings_.size()];
        bool next = true;
        for (size_t i = 0; i < meeting.ticks.size(); ++i)
            next = next && meeting.ticks[i] == last.ticks[i] + 1;
        if (next) {
            last = meeting;
            return;
        }
    }
    meetings_[meeting_count_++ % meetings_.size()] = meeting;
}

uint32_t WarpHistory::passed(uint32_t mask, uint32_t barrier, uint32_t phase) {
    uint32_t before = 0;
    for (size_t i = 0; i < passed_.mask.size(); ++i)
        before |= passed_.barrier[i] == barrier && passed_.phase[i] == phase ? passed_.mask[i] : 0;
    before &= mask;
    if (mask & ~before) {
        const size_t i = passed_count_++ % passed_.mask.size();
        passed_.mask[i] = mask;
        passed_.barrier[i] = barrier;
        passed_.phase[i] = phase;
    }
    return before;
}

bool WarpHistory::has_passed(uint32_t mask, uint32_t barrier) const {
    for (size_t i = 0; i < passed_.mask.size(); ++i)
        if (passed_.barrier[i] == barrier && (passed_.mask[i] & mask))
            return true;
    return false;
}

uint32_t WarpHistory::last_passed(uint32_t mask, uint32_t barrier) const {
    uint32_t last = UINT32_MAX;
    for (size_t i = 0; i < passed_.mask.size(); ++i)
        if (passed_.barrier[i] == barrier && (passed_.mask[i] & mask) && int32_t(passed_.phase[i]) > int32_t(last))
            last = passed_.phase[i];
    return last;
}

} // namespace sim::hazards
