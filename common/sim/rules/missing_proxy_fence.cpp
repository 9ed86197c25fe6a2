#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// The thread of the ordinary access has fenced, but only after the barrier that orders it before the copy.
Explanation fenced_too_late(const Conflict& conflict) {
    const bool wrote = conflict.other_wrote;
    return {
        .action = wrote ? through_async_proxy(conflict)
                        : "refilled through the async proxy bytes that were read through the generic proxy",
        .other_action = wrote ? "wrote it" : "read it",
        .message = fmt::format("The {0} executes fence.proxy.async only after the barrier (or the arrival) that orders "
                               "its {1} before the bulk copy. The copy may be issued before that fence.",
                               wrote ? "writer" : "reader", wrote ? "write" : "read"),
        .remedy = "Execute fence.proxy.async before the barrier: first the fence, then the arrival.",
        .also = {{conflict.other_warp()->history.proxy_fence_pc, "the fence, which comes too late"}},
        .severity = wrote ? Severity::error : Severity::warning,
    };
}

} // namespace

const Rule rule::missing_proxy_fence{
    .name = "missing-proxy-fence",
    .title = "The generic and the async proxy access the same bytes without a proxy fence",
    .why = R"(Ordinary accesses and cp.async go through the generic proxy; bulk copies, and the reads of wgmma, go
        through the async proxy: two paths to the same memory. A barrier orders accesses on one path. Only
        fence.proxy.async orders the generic accesses that happen before it with the bulk copies issued after it.
        Execute it in each writer before the barrier, or in the issuer of the copy after the barrier. Where the
        generic access is a read that a copy overwrites, the missing fence is a warning: CUTLASS leaves it out, but
        DeepEP and TransformerEngine needed it. A fence that names a state space covers that space only.)",
    .remedy = "Execute fence.proxy.async in each writer before the barrier, or in the issuer after it.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#proxies",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->only_unfenced())
            return std::nullopt;
        if (conflict->writer_fenced())
            return fenced_too_late(*conflict);
        if (!conflict->other_wrote)
            return Explanation{
                .action = "refilled through the async proxy bytes that were read through the generic proxy",
                .other_action = "read it",
                .message =
                    "The read is ordered before the bulk copy, but no fence.proxy.async comes between them. The "
                    "manual requires it. CUTLASS leaves it out, but other projects got wrong results without it.",
                .remedy = "Execute fence.proxy.async in each reader before the barrier, or in the issuer after it.",
                .severity = Severity::warning,
            };
        const BulkOp* newest = conflict->newest_copy();
        const char* reader = conflict->role == Role::matrix_read ? "wgmma.mma_async"
                             : newest && newest->tensor_group    ? "tcgen05 operation"
                                                                 : "bulk copy";
        const WarpHistory& history = conflict->warp.history;
        const bool by_writer = conflict->writer_fenced_elsewhere();
        if (by_writer || (history.proxy_fence_pc && history.synchronisations == history.proxy_fence_sync))
            return Explanation{
                .action = through_async_proxy(*conflict),
                .other_action = "wrote it",
                .message = fmt::format("A fence.proxy.async comes between the write and "
                                       "the {}, but it does not cover {} memory.",
                                       reader, conflict->memory()),
                .also = {{by_writer ? conflict->other_warp()->history.proxy_fence_pc : history.proxy_fence_pc,
                          "the fence"}},
            };
        return Explanation{
            .action = through_async_proxy(*conflict),
            .other_action = "wrote it",
            .message =
                fmt::format("The write is ordered before the {}, but no fence.proxy.async comes between them.", reader),
        };
    },
    .suspected = {{"cp.async.bulk.wait", 6}, {"fence.proxy.tensormap", 4}, {"fence", 1}},
    .suspected_with = "fence",
    .wrong = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    __syncthreads(); // wrong: no fence.proxy.async between the stores to the tile and the bulk copy
    if (i == 0) {
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __syncthreads(); // wrong: no fence.proxy.async between the stores to the tile and the bulk copy
+    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
+    __syncthreads();
)",
};

} // namespace sim::hazards
