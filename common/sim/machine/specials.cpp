#include "sim/machine/specials.h"

#include <string>
#include <unordered_map>

namespace sim::machine {

Special special_named(std::string_view name) {
    using S = Special;
    static const std::unordered_map<std::string_view, Special> names = {{"%tid.x", S::tid_x},
                                                                        {"%tid.y", S::tid_y},
                                                                        {"%tid.z", S::tid_z},
                                                                        {"%ntid.x", S::ntid_x},
                                                                        {"%ntid.y", S::ntid_y},
                                                                        {"%ntid.z", S::ntid_z},
                                                                        {"%ctaid.x", S::ctaid_x},
                                                                        {"%ctaid.y", S::ctaid_y},
                                                                        {"%ctaid.z", S::ctaid_z},
                                                                        {"%nctaid.x", S::nctaid_x},
                                                                        {"%nctaid.y", S::nctaid_y},
                                                                        {"%nctaid.z", S::nctaid_z},
                                                                        {"%laneid", S::laneid},
                                                                        {"%warpid", S::warpid},
                                                                        {"%nwarpid", S::nwarpid},
                                                                        {"%smid", S::smid},
                                                                        {"%nsmid", S::nsmid},
                                                                        {"%gridid", S::gridid},
                                                                        {"%lanemask_eq", S::lanemask_eq},
                                                                        {"%lanemask_le", S::lanemask_le},
                                                                        {"%lanemask_lt", S::lanemask_lt},
                                                                        {"%lanemask_ge", S::lanemask_ge},
                                                                        {"%lanemask_gt", S::lanemask_gt},
                                                                        {"%clusterid.x", S::clusterid_x},
                                                                        {"%clusterid.y", S::clusterid_y},
                                                                        {"%clusterid.z", S::clusterid_z},
                                                                        {"%nclusterid.x", S::nclusterid_x},
                                                                        {"%nclusterid.y", S::nclusterid_y},
                                                                        {"%nclusterid.z", S::nclusterid_z},
                                                                        {"%cluster_ctaid.x", S::cluster_ctaid_x},
                                                                        {"%cluster_ctaid.y", S::cluster_ctaid_y},
                                                                        {"%cluster_ctaid.z", S::cluster_ctaid_z},
                                                                        {"%cluster_nctaid.x", S::cluster_nctaid_x},
                                                                        {"%cluster_nctaid.y", S::cluster_nctaid_y},
                                                                        {"%cluster_nctaid.z", S::cluster_nctaid_z},
                                                                        {"%cluster_ctarank", S::cluster_ctarank},
                                                                        {"%cluster_nctarank", S::cluster_nctarank},
                                                                        {"%total_smem_size", S::total_smem_size},
                                                                        {"%aggr_smem_size", S::total_smem_size},
                                                                        {"%dynamic_smem_size", S::dynamic_smem_size},
                                                                        {"%clock", S::clock},
                                                                        {"%clock_hi", S::clock_hi},
                                                                        {"%clock64", S::clock64},
                                                                        {"%globaltimer", S::globaltimer},
                                                                        {"%globaltimer_lo", S::globaltimer_lo},
                                                                        {"%globaltimer_hi", S::globaltimer_hi}};
    if (auto it = names.find(name); it != names.end())
        return it->second;
    if (name == "%envreg1")
        return S::envreg1;
    if (name == "%envreg2")
        return S::envreg2;
    if (name == "%reserved_smem_offset_1") // there cooperative groups keep the barriers of tiles of several warps
        return S::none;
    if (name.starts_with("%envreg") || name.starts_with("%pm") || name.starts_with("%reserved_smem") ||
        name == "%is_explicit_cluster" || name == "%current_graph_exec")
        return S::zero;
    return S::none;
}

} // namespace sim::machine
