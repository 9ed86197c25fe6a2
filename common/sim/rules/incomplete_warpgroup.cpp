#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::incomplete_warpgroup{
    .name = "incomplete-warpgroup",
    .title = "Part of a warpgroup does not execute a wgmma",
    .why = R"(wgmma.mma_async is one operation of four warps: those with the numbers 4n to 4n + 3. All 128 threads
        must execute the same instruction. If a warp takes another way, ends, or comes to another wgmma, the behaviour
        is undefined; a GPU mostly hangs.)",
    .remedy = R"(Let all 128 threads of the warpgroup take the same branch, and give the block a multiple of 128
        threads.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* incomplete = facts.as<events::WarpgroupIncomplete>();
        if (!incomplete)
            return std::nullopt;
        return Explanation{
            .action = "executed a wgmma.mma_async without the rest of the warpgroup",
            .message = fmt::format("The multiplication cannot be carried out: {}.", incomplete->what),
        };
    },
    .suspected = {},
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
    if (i < 96) { // wrong: the fourth warp does not take part
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                     "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    if (i < 96) { // wrong: the fourth warp does not take part
-        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
-        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
-                     "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
-        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
-        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
-    }
-    out[i] = d[0];
+    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
+    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
+                 "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
+    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
+    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
+    if (i < 96)
+        out[i] = d[0];
)",
};

} // namespace sim::hazards
