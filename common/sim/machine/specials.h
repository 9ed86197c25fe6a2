// The special registers that are constant for a warp, as a page of lane arrays.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace sim::machine {

enum class Special : uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    total_smem_size,
    dynamic_smem_size,
    dynamic_smem_start, ///< address of `.extern .shared` variables; not a PTX register
    own_shared,         ///< where the block's shared memory begins; not a PTX register
    envreg1,
    envreg2, ///< address of a cooperative grid's workspace, high and low half
    zero,
    count,
    // not constant: read by `mov` when it executes
    clock,
    clock_hi,
    clock64,
    globaltimer,
    globaltimer_lo,
    globaltimer_hi,
    none,
};

/// "%tid.x" -> Special::tid_x; Special::none if unknown. %envreg* and %pm* read as zero.
Special special_named(std::string_view name);

/// 32 lanes of 64 bits per register, so that 32- and 64-bit reads each have their own half page.
struct SpecialPage {
    std::array<std::array<uint32_t, 32>, size_t(Special::count)> narrow;
    std::array<std::array<uint64_t, 32>, size_t(Special::count)> wide;
    void set(Special which, int lane, uint32_t value) {
        narrow[size_t(which)][size_t(lane)] = value;
        wide[size_t(which)][size_t(lane)] = value;
    }
    void set_all(Special which, uint32_t value) {
        for (int lane = 0; lane < 32; ++lane)
            set(which, lane, value);
    }
};

} // namespace sim::machine
