#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::wgmma_result_before_wait{
    .name = "wgmma-result-before-wait",
    .title = "The registers of a wgmma are used before it is known to be complete",
    .why = R"(wgmma.mma_async only starts a multiplication. Until a wgmma.wait_group covers it, the accumulators may
        hold old values, new ones or a mixture, and the registers with a fragment of A are still being read. Moving an
        accumulator to another register is allowed, because the compiler does that; computing with it, storing it, or
        loading the next fragment of A is not.)",
    .remedy = R"(Commit the operation and wait for it (wgmma.commit_group, wgmma.wait_group) before you use its
        registers.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        using Touched = events::MatrixRegisterTouched;
        const auto* touched = facts.as<Touched>();
        if (!touched || touched->wait == Touched::Wait::leaves_pending)
            return std::nullopt;
        const bool uncommitted = touched->wait == Touched::Wait::before_commit;
        const std::string operation =
            touched->there.empty() ? "a wgmma.mma_async" : fmt::format("the wgmma.mma_async at {}", touched->there);
        return Explanation{
            .action = fmt::format("{} of {} that may still be running",
                                  touched->fragment ? "wrote a register with a fragment of A" : "used an accumulator",
                                  operation),
            .message = uncommitted ? "The warp has waited since, but the operation was in no committed group then, and "
                                     "wgmma.wait_group waits for committed groups only."
                                   : "The warp has executed no wgmma.wait_group since it issued the operation.",
            .remedy = uncommitted ? "Execute wgmma.commit_group between the operation and the wait." : "",
        };
    },
    .suspected = {{"wgmma.wait_group", 1}, {"wgmma.commit_group", 2}},
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
    out[i] = d[0]; // wrong: the multiplication may not be complete
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    out[i] = d[0]; // wrong: the multiplication may not be complete
     asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
+    out[i] = d[0];
)",
};

} // namespace sim::hazards
