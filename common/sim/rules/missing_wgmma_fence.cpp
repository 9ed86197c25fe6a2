#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::missing_wgmma_fence{
    .name = "missing-wgmma-fence",
    .title = "No wgmma.fence before a wgmma that uses registers which the warp has written",
    .why = R"(wgmma.mma_async accesses registers asynchronously, so the hardware does not order it after the
        instructions that wrote its accumulators or its fragments of A. wgmma.fence does. Every warp of the warpgroup
        executes it before the first operation, and again whenever such a register was accessed in between;
        accumulators that go from one operation to the next of the same shape need none.)",
    .remedy = "Execute wgmma.fence.sync.aligned before the wgmma.mma_async, after the last access to its registers.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-fence",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* missing = facts.as<events::MatrixFenceMissing>();
        if (!missing)
            return std::nullopt;
        return Explanation{
            .action = "issued a wgmma.mma_async without a wgmma.fence before it",
            .message = missing->first
                           ? "The warp has executed no wgmma.fence at all, and one must come before its first "
                             "wgmma.mma_async."
                           : fmt::format("A register of the operation was written{} after the last wgmma.wait_group, "
                                         "and no wgmma.fence has come since.",
                                         missing->there.empty() ? "" : " at " + missing->there),
        };
    },
    .suspected = {{"wgmma.fence", 1}},
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
    // wrong: no wgmma.fence before the first operation
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: no wgmma.fence before the first operation
+    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
)",
};

} // namespace sim::hazards
