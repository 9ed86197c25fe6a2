#include "sim/machine/statistics.h"

#include <algorithm>

namespace sim::machine {

Statistics& Statistics::operator+=(const Statistics& more) {
    using S = Statistics;
    static constexpr uint64_t S::*sums[] = {&S::thread_instructions,
                                            &S::warp_instructions,
                                            &S::global_load_bytes,
                                            &S::global_store_bytes,
                                            &S::shared_load_bytes,
                                            &S::shared_store_bytes,
                                            &S::atomic_bytes,
                                            &S::staged_bytes,
                                            &S::cp_async_bytes,
                                            &S::bulk_load_bytes,
                                            &S::bulk_store_bytes,
                                            &S::tensor_load_bytes,
                                            &S::tensor_store_bytes,
                                            &S::multicast_bytes,
                                            &S::peer_copy_bytes,
                                            &S::gathered_bytes,
                                            &S::swizzled_bytes,
                                            &S::global_map_bytes,
                                            &S::map_replacements,
                                            &S::cancelled_clusters,
                                            &S::evict_first_bytes,
                                            &S::evict_last_bytes,
                                            &S::instructions_under_copies,
                                            &S::issue_to_wait_instructions,
                                            &S::waits,
                                            &S::block_barriers,
                                            &S::mbarrier_arrives,
                                            &S::mbarrier_waits,
                                            &S::dependency_waits,
                                            &S::dependent_triggers,
                                            &S::triggered_after_wait,
                                            &S::instructions_before_waits,
                                            &S::instructions_before_triggers,
                                            &S::shared_bank_cycles,
                                            &S::shared_accesses};
    for (const auto member : sums)
        this->*member += more.*member;
    max_swizzle_span = std::max(max_swizzle_span, more.max_swizzle_span);
    max_copy_groups = std::max(max_copy_groups, more.max_copy_groups);
    max_matrix_groups = std::max(max_matrix_groups, more.max_matrix_groups);
    max_phases_in_flight = std::max(max_phases_in_flight, more.max_phases_in_flight);
    return *this;
}

} // namespace sim::machine
