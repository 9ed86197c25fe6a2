#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::wgmma_operand_overwritten{
    .name = "wgmma-operand-overwritten",
    .title = "Shared memory changes while a wgmma reads it",
    .why = R"(wgmma.mma_async reads its matrices from shared memory at any moment between its issue and its
        completion. A stage may be refilled, or released to a producer that refills it, only when wgmma.wait_group has
        covered every operation that reads it, and the thread that refills it is ordered after that wait.)",
    .remedy = "Wait for the operation (wgmma.wait_group) before you release or refill what it reads.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (conflict && conflict->role == Role::matrix_read && conflict->ordinary() && conflict->other_wrote &&
            !conflict->only_unfenced() && conflict->meant_first())
            return Explanation{
                .action = "wrote to shared memory that a wgmma.mma_async may still have been reading",
                .other_action = "issued it",
                .message =
                    "Nothing orders the operation, and a wait for it by its warpgroup, before this write. In this run "
                    "the write came first.",
                .remedy =
                    "Put a barrier of all warps that read or write this memory between the wgmma.wait_group and the "
                    "next write: each warpgroup waits for its own operations only.",
                .reversed = true,
            };
        if (!conflict || !conflict->bulk() || !conflict->bulk()->op->matrix || !conflict->writes() ||
            conflict->wgmma_read_nothing())
            return std::nullopt;
        const BulkFacts& bulk = *conflict->bulk();
        const bool waited = bulk.issuer && bulk.issuer->clock.matrices_done >= bulk.op->index;
        const bool own = bulk.issuer && bulk.op->block == conflict->warp.clock.block &&
                         bulk.op->warp == (conflict->warp.clock.warp & ~3u);
        Explanation text{
            .action = conflict->role == Role::store || conflict->role == Role::atomic
                          ? "wrote to shared memory that a wgmma.mma_async may still have been reading"
                          : "issued a copy into shared memory that a wgmma.mma_async may still have been reading",
            .other_action = "issued it",
            .message =
                waited ? "The warpgroup has waited for the operation, but nothing orders this thread after that wait."
                : own  ? "The warpgroup has not waited for the operation since."
                       : "The warpgroup had not waited for the operation when it released this memory, or nothing "
                         "orders this thread after the release.",
        };
        if (waited)
            text.remedy =
                "Let the warpgroup arrive on an mbarrier, or at a barrier, after its wgmma.wait_group, and let this "
                "thread wait for that first.";
        return text;
    },
    .suspected = {{"wgmma.wait_group", 3}, {"mbarrier.arrive", 3}, {"bar", 4}},
    .suspected_with = "wgmma",
    .wrong = R"cuda(__device__ float out[128];

__global__ void multiply() {
    __shared__ alignas(128) unsigned short b[128]; // 8 columns of 16 bf16
    const int i = threadIdx.x;
    b[i] = 0x3f80; // 1.0
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned long long matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    const unsigned ones = 0x3f803f80; // two bf16
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    b[i] = 0; // wrong: the multiplication may still read it
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    b[i] = 0; // wrong: the multiplication may still read it
     asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
+    __syncthreads();
+    b[i] = 0;
)",
};

} // namespace sim::hazards
