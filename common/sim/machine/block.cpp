#include "sim/machine/block.h"

#include <algorithm>
#include <bit>

#include "sim/machine/grid.h"
#include "sim/machine/target.h"

namespace sim::machine {
namespace {

uint32_t lane_masks(Special which, uint32_t lane) {
    const uint32_t eq = 1u << lane, lt = eq - 1;
    switch (which) {
    case Special::lanemask_eq:
        return eq;
    case Special::lanemask_le:
        return lt | eq;
    case Special::lanemask_lt:
        return lt;
    case Special::lanemask_ge:
        return ~lt;
    default:
        return ~(lt | eq);
    }
}

/// What changes from block to block.
void fill_position(SpecialPage& page, const Block& block) {
    const Grid& grid = block.grid;
    const Dim3 cluster = grid.config.cluster;
    using S = Special;
    const std::pair<S, uint32_t> position[] = {
        {S::ctaid_x, block.index.x},
        {S::ctaid_y, block.index.y},
        {S::ctaid_z, block.index.z},
        {S::smid, uint32_t(block.linear % grid.options.properties.sm_count)},
        {S::clusterid_x, block.index.x / cluster.x},
        {S::clusterid_y, block.index.y / cluster.y},
        {S::clusterid_z, block.index.z / cluster.z},
        {S::cluster_ctaid_x, block.index.x % cluster.x},
        {S::cluster_ctaid_y, block.index.y % cluster.y},
        {S::cluster_ctaid_z, block.index.z % cluster.z},
        {S::cluster_ctarank, block.cluster_rank},
        {S::own_shared, block.own_tag << memory::shared_rank_shift},
        {S::dynamic_smem_start,
         (grid.shared_bytes - grid.config.dynamic_shared) | block.own_tag << memory::shared_rank_shift}};
    for (const auto& [which, value] : position)
        if (page.narrow[size_t(which)][0] != value) // mostly as in the block before
            page.set_all(which, value);
}

/// The fields that are the same for warp `warp` of every block of the launch.
void fill_launch(SpecialPage& page, const Grid& grid, uint32_t warp) {
    const Dim3 size = grid.config.block, count = grid.config.grid, cluster = grid.config.cluster;
    using S = Special;
    const std::pair<S, uint32_t> uniform[] = {{S::ntid_x, size.x},
                                              {S::ntid_y, size.y},
                                              {S::ntid_z, size.z},
                                              {S::nctaid_x, count.x},
                                              {S::nctaid_y, count.y},
                                              {S::nctaid_z, count.z},
                                              {S::warpid, warp},
                                              {S::nwarpid, 64},
                                              {S::nsmid, grid.options.properties.sm_count},
                                              {S::gridid, uint32_t(grid.id)},
                                              {S::nclusterid_x, count.x / cluster.x},
                                              {S::nclusterid_y, count.y / cluster.y},
                                              {S::nclusterid_z, count.z / cluster.z},
                                              {S::cluster_nctaid_x, cluster.x},
                                              {S::cluster_nctaid_y, cluster.y},
                                              {S::cluster_nctaid_z, cluster.z},
                                              {S::cluster_nctarank, uint32_t(cluster.count())},
                                              {S::total_smem_size, grid.shared_bytes},
                                              {S::dynamic_smem_size, grid.config.dynamic_shared},
                                              {S::envreg1, uint32_t(grid.workspace >> 32)},
                                              {S::envreg2, uint32_t(grid.workspace)},
                                              {S::zero, 0}};
    for (const auto& [which, value] : uniform)
        page.set_all(which, value);
    for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint32_t thread = warp * 32 + lane;
        const int l = int(lane);
        page.set(S::tid_x, l, thread % size.x);
        page.set(S::tid_y, l, thread / size.x % size.y);
        page.set(S::tid_z, l, thread / (size.x * size.y));
        page.set(S::laneid, l, lane);
        for (S which : {S::lanemask_eq, S::lanemask_le, S::lanemask_lt, S::lanemask_ge, S::lanemask_gt})
            page.set(which, l, lane_masks(which, lane));
    }
}

} // namespace

Block::Block(Grid& owner, uint64_t number, Dim3 position)
    : grid(owner), linear(number), index(position), shared(owner.shared_bytes, std::byte{memory::poison}),
      threads(uint32_t(owner.config.block.count())) {
    const Dim3 size = grid.config.cluster, count = grid.config.grid;
    cluster_rank = index.x % size.x + size.x * (index.y % size.y + size.y * (index.z % size.z));
    cluster = index.x / size.x +
              uint64_t{count.x / size.x} * (index.y / size.y + uint64_t{count.y / size.y} * (index.z / size.z));
    own_tag = size.count() > 1 && allows(grid.kernel.module->ptx().target, "sm_100") ? cluster_rank & 1 : 0;
    for (uint32_t first = 0; first < threads; first += 32) {
        const uint32_t lanes = std::min(32u, threads - first);
        const uint32_t mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
        const uint32_t number = first / 32;
        grid.spare_warps.resize(std::max<size_t>(grid.spare_warps.size(), number + 1));
        auto& spare = grid.spare_warps[number];
        WarpStorage storage;
        if (spare.empty()) {
            storage.specials = std::make_unique<SpecialPage>();
            fill_launch(*storage.specials, grid, number);
        } else {
            storage = std::move(spare.back());
            spare.pop_back();
        }
        warps.push_back(std::make_unique<Warp>(*this, number, mask, std::move(storage)));
        Warp& warp = *warps.back();
        fill_position(*warp.specials, *this);
        warp.fragments.push_back({mask, 0, warp.push(*grid.entry, nullptr, 0, nullptr), {}});
    }
}

Block* Block::named_by(uint32_t tag) {
    return tag == own_tag ? this : grid.cluster_block(*this, memory::rank_of_tag(tag, cluster_rank));
}

Block::~Block() {
    for (auto& warp : warps)
        grid.spare_warps[warp->id].push_back(warp->retire());
}

void Block::arrive(Warp& warp, uint32_t mask, uint32_t id, uint32_t expected, bool counted) {
    NamedBarrier& barrier = barriers[id];
    barrier.expected = expected;
    barrier.counted = counted;
    barrier.arrived += uint32_t(std::popcount(mask));
    ++grid.activity;
    if (grid.listener)
        grid.listener->barrier_arrive(warp, mask, id);
    check_barriers();
}

void Block::check_barriers() {
    if (grid.blocks_per_cluster > 1)
        grid.check_cluster_barrier(*this);
    for (uint32_t id = 0; id < barriers.size(); ++id) {
        NamedBarrier& barrier = barriers[id];
        if (barrier.arrived == 0)
            continue;
        // Threads that have ended count as arrived at a barrier of the whole block, but not at one with an explicit
        // count (measured on an H100). Those that arrived without waiting, and then ended, have been counted.
        const uint32_t absent = !barrier.counted && exited > barrier.passed ? exited - barrier.passed : 0;
        if (barrier.arrived + absent >= barrier.expected)
            complete(id);
    }
}

void Block::complete(uint32_t id) {
    NamedBarrier& barrier = barriers[id];
    barrier.arrived = 0;
    ++barrier.completions;
    barrier.last_reduction = barrier.reduction;
    barrier.last_zeros = barrier.reduction_zeros;
    barrier.reduction = barrier.reduction_zeros = 0;
    ++grid.statistics.block_barriers;
    ++grid.activity;
    if (grid.listener)
        grid.listener->barrier_complete(*this, id);
    barrier.passed = 0; // not before: the listener reads it
    for (auto& warp : warps)
        for (auto& fragment : warp->fragments)
            if (fragment.wait.kind == Wait::Kind::barrier && fragment.wait.id == id) {
                fragment.wait.kind = Wait::Kind::none;
                if (grid.listener)
                    grid.listener->barrier_release(*warp, fragment.mask, id);
            }
}

void Block::wake(Wait::Kind kind) {
    ++wakeups;
    for (auto& warp : warps)
        for (auto& fragment : warp->fragments)
            if (fragment.wait.kind == kind)
                fragment.wait.kind = Wait::Kind::none;
}

} // namespace sim::machine
