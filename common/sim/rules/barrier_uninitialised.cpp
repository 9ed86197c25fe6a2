#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

Explanation of_another_block(const events::BarrierMissing& missing) {
    if (missing.ended_at.empty())
        return {
            .action = "used an mbarrier of another block that is not initialised yet",
            .message = fmt::format("No thread of that block has executed mbarrier.init for its mbarrier {} so far: "
                                   "nothing orders the initialisation before this use.",
                                   missing.name),
            .remedy =
                "Put a barrier of the cluster (cluster.sync()) between mbarrier.init and the first use by another "
                "block. __syncthreads() orders the threads of one block only.",
        };
    return {
        .action = "used an mbarrier of another block that no longer exists",
        .message = fmt::format("The mbarrier {} of that block was invalidated at {}.", missing.name, missing.ended_at),
        .remedy = "Put a barrier of the cluster (cluster.sync()) between the last use of the mbarrier and "
                  "mbarrier.inval.",
    };
}

} // namespace

const Rule rule::barrier_uninitialised{
    .name = "barrier-uninitialised",
    .title = "An mbarrier is used before it is initialised",
    .why = R"(An mbarrier is an object in shared memory, and mbarrier.init creates it. Before that its eight bytes
        hold whatever the previous block left there, and every operation on them is undefined. After mbarrier.inval,
        which the destructor of cuda::barrier executes, the mbarrier no longer exists. Another block of the cluster
        may use it only between two cluster barriers: one after its initialisation, and one before its end.)",
    .remedy = "Let one thread execute mbarrier.init, then synchronise the block, then use the barrier.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier-init",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* missing = facts.as<events::BarrierMissing>();
        if (!missing)
            return std::nullopt;
        if (missing->in_peer)
            return of_another_block(*missing);
        if (missing->ended_at.empty())
            return Explanation{
                .action = "used an mbarrier that is not initialised",
                .message = fmt::format("No thread has executed mbarrier.init for the mbarrier {}.", missing->name),
            };
        return Explanation{
            .action = "used an mbarrier that no longer exists",
            .message = fmt::format("The mbarrier {} was invalidated at {} (the destructor of a cuda::barrier does so).",
                                   missing->name, missing->ended_at),
            .remedy = "Put __syncthreads() between the last use of the mbarrier and its destruction.",
        };
    },
    .suspected = {{"fence.mbarrier_init", 2}},
    .suspected_with = "mbarrier",
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    __shared__ __mbarrier_t barrier; // wrong: no thread initialises it
    const int i = threadIdx.x;
    tile[i] = in[i];
    const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token)) {
    }
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __shared__ __mbarrier_t barrier; // wrong: no thread initialises it
+    __shared__ __mbarrier_t barrier;
     const int i = threadIdx.x;
+    if (i == 0)
+        __mbarrier_init(&barrier, 64);
+    __syncthreads();
)",
};

} // namespace sim::hazards
