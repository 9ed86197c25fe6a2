#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::fence_before_barrier{
    .name = "fence-before-barrier",
    .title = "The issuer's proxy fence comes before the barrier and covers only its own writes",
    .why = R"(Generic-proxy accesses that happen before fence.proxy.async become ordered before async-proxy operations
        issued after it. Before the barrier only the issuer's own writes happen before its fence. The other threads'
        writes become ordered at the barrier, where no fence follows on the way to the copy.)",
    .remedy = R"(Move the issuer's fence.proxy.async after the barrier, or let every writer execute one before the
        barrier.)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#proxies",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->only_unfenced() || !conflict->other_wrote || conflict->writer_fenced_elsewhere())
            return std::nullopt;
        const WarpHistory& history = conflict->warp.history;
        if (!history.proxy_fence_pc || history.synchronisations != history.proxy_fence_sync + 1)
            return std::nullopt;
        if (conflict->context().intent.leads(history.proxy_fence_pc, conflict->other_pc, Distance::same_block))
            return std::nullopt; // it is about what came before this write
        return Explanation{
            .action = through_async_proxy(*conflict),
            .other_action = "wrote it",
            .message = "The issuer executed fence.proxy.async before the barrier. There it covers only the issuer's "
                       "own writes; the other threads' writes become ordered before the copy only at the barrier.",
            .also = {{history.proxy_fence_pc, "the fence"}},
        };
    },
    .wrong = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    if (i == 0) // wrong: thread 0 has written one of the 64 numbers
        ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
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
-    if (i == 0) // wrong: thread 0 has written one of the 64 numbers
-        ptx::fence_proxy_async(ptx::space_shared);
+    ptx::fence_proxy_async(ptx::space_shared);
)",
};

} // namespace sim::hazards
