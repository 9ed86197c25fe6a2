#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::read_wait_for_result{
    .name = "read-wait-for-result",
    .title = "The result of a bulk store is used after a wait that covers its source only",
    .why = R"(cp.async.bulk.wait_group.read returns when the copies have read their sources, so the shared memory may
        be written again. Their writes to global memory may still be in flight. Only the wait without .read guarantees
        that these writes are complete and visible to the thread.)",
    .remedy = "Use cp.async.bulk.wait_group without .read before you use the stored bytes.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        const BulkFacts* bulk = conflict ? conflict->bulk() : nullptr;
        if (!bulk || bulk->stage != BulkFacts::Stage::read_only_wait)
            return std::nullopt;
        if (stored_by_two_blocks(*conflict, *bulk))
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = "issued a bulk copy to the same bytes",
                .message = "Two blocks store to the same bytes. The first one has waited only until its copy had read "
                           "its source (.read), and nothing orders the second one after the first one's writes.",
                .remedy = look_at_places,
                .also = {{bulk->wait_pc, "the wait"}},
            };
        return Explanation{
            .action = in_flight(*conflict),
            .other_action = "issued the bulk copy",
            .message = "The issuer has waited only until the copy had read its "
                       "source (.read). The copy's writes may still be in flight.",
            .remedy = "Use cp.async.bulk.wait_group without .read before you use the bytes that the copy has written.",
            .also = {{bulk->wait_pc, "the wait"}},
        };
    },
    .suspected = {{"cp.async.bulk.wait", 3}},
    .suspected_with = "bulk",
    .wrong = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];
__device__ int first;

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
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // wrong: out may not be written yet
        first = *const_cast<volatile int*>(out);
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{}); // wrong: out may not be written yet
+        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
)",
};

} // namespace sim::hazards
