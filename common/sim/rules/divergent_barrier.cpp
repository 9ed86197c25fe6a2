#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::divergent_barrier{
    .name = "divergent-barrier",
    .title = "Some lanes of a warp do not reach the block barrier that the others wait at",
    .why = R"(You may call __syncthreads() in a branch only if the condition is the same for all threads of the block.
        If some lanes of a warp wait at one barrier while the others wait at another, or at none, the hardware may
        hang or release threads too early. The .sync instructions of a warp, such as a shuffle or a vote, need every
        lane that their mask names.)",
    .remedy = "Move __syncthreads() out of the branch, or make the condition the same for all threads of the block.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-bar",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* stop = facts.stopped(events::Stopped::Why::lanes_missing);
        if (!stop)
            return std::nullopt;
        return Explanation{
            .action = "stopped here",
            .message = stop->what,
            .remedy =
                stop->of == events::Stopped::Of::warp_collective
                    ? "Let all lanes that the instruction names execute it: take it out of a branch that only some of "
                      "them enter."
                    : "",
        };
    },
    .wrong = R"cuda(__device__ int in[48], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    tile[i] = 0;
    if (i < 48) {
        tile[i] = in[i];
        __syncthreads(); // wrong: half of the second warp waits here, the other half at the next barrier
    }
    __syncthreads();
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    if (i < 48) {
+    if (i < 48)
         tile[i] = in[i];
-        __syncthreads(); // wrong: half of the second warp waits here, the other half at the next barrier
-    }
)",
};

} // namespace sim::hazards
