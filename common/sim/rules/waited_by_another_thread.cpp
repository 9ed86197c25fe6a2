#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::waited_by_another_thread{
    .name = "waited-by-another-thread",
    .title = "A thread waits for a bulk group that another thread has committed",
    .why = R"(Bulk async-groups belong to the thread that commits them. In any other thread cp.async.bulk.wait_group
        finds no group and returns at once, so a barrier after it does not order anything after the copy.)",
    .remedy = "Let the thread that issued and committed the copy wait for it, and put the barrier after that wait.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (conflict && conflict->write_overtook_copy() && conflict->idle_wait())
            return Explanation{
                .action = "wrote bytes that a bulk copy of another thread had yet to read",
                .other_action = "issued the bulk copy",
                .message = "This thread waited for bulk groups but has committed none. "
                           "A wait covers only the groups of the thread that executes it.",
                .also = {{conflict->idle_wait(), "the wait, which has no group to wait for"}},
                .reversed = true,
            };
        const BulkFacts* bulk = conflict ? conflict->bulk() : nullptr;
        if (!bulk || bulk->stage != BulkFacts::Stage::waited_by_another)
            return std::nullopt;
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = "issued the bulk copy",
            .message = "Another thread waited for bulk groups but has committed none. "
                       "A wait covers only the groups of the thread that executes it.",
            .also = {{bulk->wait_pc, "the wait, which has no group to wait for"}},
        };
    },
    .suspected = {{"cp.async.bulk.wait", 4}},
    .suspected_with = "bulk",
    .wrong = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
    }
    if (i == 32) // wrong: thread 32 has no groups
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    __syncthreads();
    tile[i] = -i;
    if (i == 0)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
+        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
     }
-    if (i == 32) // wrong: thread 32 has no groups
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});

-    if (i == 0)
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
)",
};

} // namespace sim::hazards
