// The recorder's view of tensor cores: wgmma; tcgen05, and the commits that track its operations.
#include <algorithm>

#include "sim/timeline/recorder.h"

namespace sim::timeline {

// --- wgmma ----------------------------------------------------------------------------------------------------------

/// An event of the warpgroup's first warp. What it issues between two waits is drawn as one operation.
void Recorder::matrix_issue(Exec& x, const events::MatrixIssue& issue) {
    if (!ours(x))
        return;
    const Warp& first = *x.block.warps[issue.first_warp];
    WarpLog& mine = log(first);
    if (&first != &x.warp)
        mine.now = counts(first);
    uint64_t columns = 0; // of B, which has 32 bytes of each
    for (const events::MatrixOperand& operand : issue.operands)
        if (operand.name == 'B')
            for (const events::BulkBytes& piece : operand.bytes)
                columns += piece.bytes;
    const bool goes_on = mine.last != none && current_.events[mine.last].kind == Event::Kind::product;
    const auto operation = goes_on ? current_.events[mine.last].what : uint32_t(current_.operations.size());
    const uint32_t event = add(Event::Kind::product, first, ~0u, 0, operation);
    if (event == none)
        return;
    current_.events[event].cells = uint32_t(64 * columns / 32);
    if (!goes_on)
        current_.operations.push_back({"wgmma", numbers_["wgmma"]++, first.id, place(first), 0});
    for (uint32_t i = 0; i < 4; ++i)
        warps_[issue.first_warp + i].products.push_back({issue.index, event});
}

void Recorder::matrix_wait(Exec& x, const events::MatrixWait& wait) {
    if (!ours(x))
        return;
    auto& products = log(x.warp).products;
    Join awaited{"wgmma.wait_group " + std::to_string(wait.n)};
    for (; !products.empty() && products.front().index <= wait.done; products.pop_front())
        awaited.events.push_back(products.front().event);
    current_.joins.push_back(std::move(awaited));
    add(Event::Kind::wait, x.warp, x.mask, 0, uint32_t(current_.joins.size() - 1));
}

// --- tcgen05 --------------------------------------------------------------------------------------------------------

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
