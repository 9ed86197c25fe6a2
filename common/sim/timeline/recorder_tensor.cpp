// The recorder's view of tcgen05: operations in flight, and the commits that track them.
#include <algorithm>

#include "sim/timeline/recorder.h"

namespace sim::timeline {

void Recorder::tensor_issue(Exec& x, const events::TensorIssue& issue) {
    static constexpr const char* names[] = {"mma", "tcgen05.cp", "tcgen05.shift"};
    if (!ours(x))
        return;
    const std::string name = names[size_t(issue.kind)];
    const auto operation = uint32_t(current_.operations.size());
    const auto lane = uint32_t(issue.lane);
    const uint32_t event = add(Event::Kind::tensor, x.warp, 1u << lane, 0, operation);
    if (event == none)
        return;
    for (const events::TensorCells& cells : issue.cells)
        if (cells.written && cells.block == &x.block) // the peer's tensor core does its half at the same time
            current_.events[event].cells += cells.lanes * cells.columns;
    current_.operations.push_back({name, numbers_[name]++, x.warp.id, place(x.warp), 0});
    log(x.warp).operations.push_back({event, lane, issue.group, issue.index});
}

/// Loads from Tensor Memory take as long as loads from shared memory.
void Recorder::tensor_access(Exec& x, const events::TensorAccess& access) {
    if (!ours(x))
        return;
    if (!access.store)
        add_access(Event::Kind::load_shared, x.warp, x.mask, 0);
    else if (log(x.warp).loads)
        add(Event::Kind::store, x.warp, x.mask);
}

void Recorder::tensor_wait(Exec& x, bool) {
    if (ours(x) && log(x.warp).loads)
        add(Event::Kind::store, x.warp, x.mask);
}

void Recorder::tensor_commit(Exec& x, const events::TensorCommit& commit) {
    if (!ours(x))
        return;
    const uint32_t event = add(Event::Kind::arrive, x.warp, 1u << commit.lane);
    if (event == none)
        return;
    auto& tracked = commits_[commit.number] = {event};
    // Operations complete in the order of issue: of those that an earlier commit tracks, the last one is enough.
    uint32_t last = none;
    auto& all = log(x.warp).operations;
    for (Operation& one : all)
        if (one.lane == uint32_t(commit.lane) && one.group == commit.group && one.index <= commit.upto) {
            tracked.push_back(one.event);
            last = one.event;
        }
    std::erase_if(all, [&](const Operation& one) {
        return std::find(tracked.begin(), tracked.end(), one.event) != tracked.end() && one.event != last;
    });
}

void Recorder::tensor_arrive(uint64_t commit, Mbarrier& barrier) {
    const auto found = commits_.find(commit);
    if (!block_ || found == commits_.end() || barrier.owner != block_)
        return;
    auto& events = current_.joins[join('m', barrier.id, barrier.phase)].events;
    events.insert(events.end(), found->second.begin(), found->second.end());
    commits_.erase(found);
}

} // namespace sim::timeline
