#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::string leaves(uint32_t n) {
    return fmt::format("The last wgmma.wait_group {} lets the {} stay pending, and this operation belongs to {}.", n,
                       n == 1 ? "most recent group" : fmt::format("{} most recent groups", n),
                       n == 1 ? "that group" : "one of them");
}

} // namespace

const Rule rule::wgmma_wait_leaves_pending{
    .name = "wgmma-wait-leaves-pending",
    .title = "wgmma.wait_group allows the group to stay pending whose results or operands are used",
    .why = R"(wgmma.wait_group N returns when at most the N most recent groups of the warpgroup are pending. Whatever
        was committed in one of those N groups may still be running: its accumulators are not ready, and it still
        reads its operands.)",
    .remedy = "Use a smaller N in wgmma.wait_group, or use what an older group has finished.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        using Touched = events::MatrixRegisterTouched;
        if (const auto* touched = facts.as<Touched>(); touched && touched->wait == Touched::Wait::leaves_pending)
            return Explanation{
                .action =
                    fmt::format("{} of {} that may still be running",
                                touched->fragment ? "wrote a register with a fragment of A" : "used an accumulator",
                                touched->there.empty() ? "a wgmma.mma_async"
                                                       : fmt::format("the wgmma.mma_async at {}", touched->there)),
                .message = leaves(touched->n),
            };
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->bulk() || !conflict->bulk()->op->matrix || !conflict->bulk()->issuer ||
            conflict->wgmma_read_nothing())
            return std::nullopt;
        const auto& wait = conflict->bulk()->issuer->history.matrix_wait;
        const uint32_t index = conflict->bulk()->op->index;
        if (!wait.pc || !wait.n || wait.committed < index || conflict->bulk()->issuer->clock.matrices_done >= index)
            return std::nullopt;
        return Explanation{
            .action =
                fmt::format("{} shared memory that a wgmma.mma_async may still have been reading", conflict->verb()),
            .other_action = "issued it",
            .message = leaves(wait.n),
            .remedy = "Use a smaller N in wgmma.wait_group, or release the stage that an older group has read.",
            .also = {{wait.pc, "the wait"}},
        };
    },
    .suspected = {{"wgmma.wait_group", 2}},
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
    float e[4] = {};
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;" : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3]) : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); // wrong: the second group may still be running
    out[i] = d[0] + e[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); // wrong: the second group may still be running
+    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
)",
};

} // namespace sim::hazards
