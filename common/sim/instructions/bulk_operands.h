// Shared by the bulk copies: lanes one at a time, alignment, the barrier operand, reductions.
#pragma once

#include <fmt/format.h>

#include "sim/async/tensor_map.h"
#include "sim/instructions/async_operands.h"

namespace sim::instructions {

/// Runs f(lane) for each executing lane alone (x.mask has just that lane). Bulk copies are issued by one thread.
template <class F>
Flow lane_by_lane(Exec& x, F&& f) {
    const uint32_t all = x.mask;
    bool good = true;
    for_lanes(all, [&](int lane) {
        if (!good)
            return;
        x.mask = 1u << lane;
        good = f(lane);
    });
    x.mask = all;
    return good ? Flow::next : Flow::fault;
}

/// Reports and fails unless `together` (addresses and sizes or-ed) is a multiple of `align`.
inline bool aligned_copy(Exec& x, const Op& op, uint64_t together, uint64_t align, const std::string& what) {
    if (!(together & (align - 1)))
        return true;
    if (x.listener)
        x.listener->misuse(&x.warp, x.mask, &op,
                           events::MisalignedCopy{events::MisalignedCopy::Part::address_or_size, what + "."});
    x.fail(Fault::misaligned_address, what);
    return false;
}

inline constexpr const char* not_own_block =
    "the destination of a copy to .shared::cta lies in the block's own shared memory; .shared::cluster names a peer's";

/// The barrier of a bulk copy, for the one executing lane. nullptr: reported.
struct CopyBarrier {
    Block* block = nullptr;
    uint32_t offset = 0;
    async::Mbarrier* barrier = nullptr;
};
inline CopyBarrier copy_barrier(Exec& x, const Op& op, const AddressRef& ref, int lane) {
    Resolved where;
    if (!locate(x, op, ref, 8, 8, Direction::load, where))
        return {};
    if (!where.shared) {
        x.fail(Fault::illegal_instruction, "the mbarrier of a bulk copy lies in shared memory");
        return {};
    }
    const auto offset = uint32_t(where.address[lane]);
    return {where.target, offset, barriers_of(*where.target).use(x, op, x.mask, offset)};
}

/// The block of that rank in the executing block's cluster; nullptr: there is none, reported.
inline Block* multicast_target(Exec& x, const Op& op, uint32_t rank) {
    if (Block* peer = x.grid.cluster_block(x.block, rank))
        return peer;
    const std::string message = fmt::format("bit {} of the multicast mask stands for {}", rank, no_such_block(x, rank));
    if (x.listener)
        x.listener->misuse(
            &x.warp, x.mask, &op,
            events::Stopped{events::Stopped::Why::out_of_bounds, message, events::Stopped::Of::no_such_block});
    x.fail(Fault::illegal_instruction, message);
    return nullptr;
}

/// What createpolicy makes of the priorities: the values that CUTLASS passes to copies.
enum Priority : uint8_t { evict_normal, evict_first, evict_last };
inline constexpr uint64_t policies[] = {0x1000000000000000, 0x12f0000000000000, 0x14f0000000000000};

/// The operand of .L2::cache_hint, which is operand `i`; none without it.
inline OperandRef cache_policy(Decoder& d, size_t i) {
    return d.has(".L2::cache_hint") && i < d.source.operands.size() ? d.read(i, 8) : OperandRef{};
}

/// For the statistics: the lane copies `bytes` bytes with this policy.
inline void count_policy(Exec& x, const OperandRef& policy, int lane, uint64_t bytes) {
    if (!policy.exists())
        return;
    const uint64_t value = x.lanes<uint64_t>(policy)[lane];
    auto& statistics = x.grid.statistics;
    statistics.evict_first_bytes += value == policies[evict_first] ? bytes : 0;
    statistics.evict_last_bytes += value == policies[evict_last] ? bytes : 0;
}

/// For the statistics: `bytes` bytes go to the blocks of the mask.
inline void count_multicast(Exec& x, uint32_t ranks, uint64_t bytes) {
    x.grid.statistics.multicast_bytes += bytes * uint32_t(std::max(std::popcount(ranks) - 1, 0));
}

/// The reduction named by .redOp and .type of a cp.reduce.async.bulk. Throws DecodeError.
async::Reduce bulk_reduction(Decoder& d, std::string_view operation, Type type);
/// The same for a tensor's elements; nullptr: there is no such reduction.
async::Reduce tensor_reduction(std::string_view operation, async::ElementType type);

} // namespace sim::instructions
