#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

const char* between(const Conflict& conflict) {
    return conflict.apart() == Apart::in_block
               ? "Put __syncthreads() (or another barrier) between the writers' fences and the copy."
           : conflict.apart() == Apart::in_cluster
               ? "Put a barrier of the cluster (cluster.sync(), or barrier.cluster.arrive.release and "
                 "barrier.cluster.wait.acquire) between the writers' fences and the copy."
               : "Put a grid barrier, or a release and an acquire, between the writers' fences and the copy.";
}

} // namespace

const Rule rule::fence_without_barrier{
    .name = "fence-without-barrier",
    .title = "The writers fence, but nothing orders them before the issuer of the copy",
    .why = R"(A proxy fence orders accesses of one thread across two proxies; it does not wait for other threads.
        Without a barrier between the writers' fences and the copy, the issuer may start the copy before the other
        threads have written.)",
    .remedy = "Put __syncthreads() (or another barrier) between the fences and the copy.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#proxies",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk();
            bulk && bulk->stage == BulkFacts::Stage::overtaken && !conflict->other_wrote && bulk->fence_pc)
            return Explanation{
                .action = "read bytes that another thread wrote",
                .other_action = "wrote it",
                .message = "The writer executed fence.proxy.async, but no barrier orders the "
                           "write before the copy: a fence does not wait for other threads.",
                .remedy = between(*conflict),
                .also = {{bulk->fence_pc, "the writer's fence"}},
                .reversed = true,
            };
        if (!conflict->ordinary() || !conflict->other_wrote || !conflict->async() || !conflict->writer_fenced())
            return std::nullopt;
        return Explanation{
            .action = fmt::format("{} bytes that another thread wrote", conflict->verb()),
            .other_action = "wrote it",
            .message = "The writer executed fence.proxy.async, but no barrier orders the "
                       "write before the copy: a fence does not wait for other threads.",
            .remedy = between(*conflict),
            .also = {{conflict->other_warp()->history.proxy_fence_pc, "the writer's fence"}},
        };
    },
    .suspected = {{"bar", 6}, {"fence", 2}},
    .suspected_with = "fence",
    .wrong = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    // wrong: thread 0 does not wait for the others
    if (i == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: thread 0 does not wait for the others
+    __syncthreads();
)",
};

} // namespace sim::hazards
