#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

/// Threads that were meant to meet at one barrier have met others at the next one: that is the cause of a race.
std::optional<Explanation> race(const Conflict& conflict) {
    const auto crossed = conflict.crossed_barriers();
    if (!crossed)
        return std::nullopt;
    return Explanation{
        .action = fmt::format("{} shared memory that another thread {}", conflict.verb(),
                              conflict.other_wrote ? "wrote" : "may still have been reading"),
        .other_action = conflict.other_wrote ? "wrote it" : "read it",
        .message = "Some warps waited at the first of these barriers while others were already waiting at the second. "
                   "The two released each other, so neither orders these accesses.",
        .also = {{crossed->second, "others already waited here"}},
        .cause = {crossed->first, "some warps of the block waited here"},
    };
}

} // namespace

const Rule rule::misaligned_barrier_lines{
    .name = "misaligned-barrier-lines",
    .title = "Warps meet at one block barrier from different source lines",
    .why = R"(__syncthreads() counts threads, not source lines, so warps that wait at different barrier statements
        release each other. The manual requires all threads to reach the same statement. The program works as long as
        both sides execute equally many barriers, and fails silently when one side executes one more. As long as it
        works, the report is a note.)",
    .remedy = "Let all warps reach the same __syncthreads() statement.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#synchronization-functions",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* conflict = facts.as<Conflict>())
            return race(*conflict);
        const auto* barrier = facts.as<events::BarrierAtOtherLine>();
        if (!barrier)
            return std::nullopt;
        return Explanation{
            .action = "waited here",
            .message = fmt::format("Other warps of the block waited at {}, and these "
                                   "two barrier statements released each other.",
                                   barrier->there),
            .severity = Severity::note,
        };
    },
    .wrong = R"cuda(__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    if (i < 32) {
        tile[i] = in[i];
        __syncthreads(); // the first warp here …
    } else {
        tile[i] = -in[i];
        __syncthreads(); // … and the second one here
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-        __syncthreads(); // the first warp here …

-        __syncthreads(); // … and the second one here
     }
+    __syncthreads();
)",
};

} // namespace sim::hazards
