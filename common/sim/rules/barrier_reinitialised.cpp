#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

Explanation overwritten(const BarrierMemoryReused& facts) {
    using Why = BarrierMemoryReused::Why;
    const char* data = facts.by_copy ? "copy" : "store";
    Explanation text;
    text.action = facts.by_copy ? "issued a copy into the memory of an mbarrier" : "stored data over an mbarrier";
    switch (facts.why) {
    case Why::unused_since:
        text.severity = Severity::warning;
        text.other_action = "initialised here";
        text.message = fmt::format("The 8 bytes still belong to an mbarrier: no thread has executed mbarrier.inval "
                                   "before this {}. No thread uses the mbarrier afterwards.",
                                   data);
        text.remedy = "Execute mbarrier.inval in one thread after the last use of the mbarrier, then synchronise "
                      "the threads before they use its memory for data.";
        break;
    case Why::used_since:
        text.other_action = "used it afterwards";
        text.message = fmt::format("The mbarrier is still in use, and the {} destroys its phase and its pending "
                                   "arrivals.",
                                   data);
        text.remedy =
            fmt::format("Check the {}'s address and size against the mbarrier's place in shared memory.", data);
        break;
    case Why::use_unordered:
        text.other_action = "used it";
        text.message =
            fmt::format("Nothing orders that use before the {}, so a thread may still arrive or wait on the mbarrier "
                        "while its memory becomes data.",
                        data);
        text.remedy = facts.by_copy
                          ? "Check the copy's address and size against the mbarrier's place in shared memory. If you "
                            "reuse that memory on purpose, synchronise and execute mbarrier.inval first."
                          : "Put __syncthreads() between the last use of the mbarrier and mbarrier.inval, and another "
                            "one before its memory is used for data.";
        break;
    case Why::copy_unfinished:
        text.other_action = "issued a copy that completes on it";
        text.message = fmt::format("This thread does not know that the other copy is complete, so its completion may "
                                   "still arrive on the mbarrier while the {} writes its memory.",
                                   data);
        text.remedy = "Wait for the phase of the last copy, synchronise, and execute mbarrier.inval before you use "
                      "the memory for data.";
        break;
    }
    return text;
}

} // namespace

const Rule rule::barrier_reinitialised{
    .name = "barrier-reinitialised",
    .title = "A live mbarrier is initialised again, invalidated, or overwritten",
    .why = R"(From mbarrier.init to mbarrier.inval the eight bytes of an mbarrier belong to the hardware. A store or a
        copy into them, or a second mbarrier.init without mbarrier.inval in between, is undefined, and so is
        mbarrier.inval while another thread may still arrive or wait. You never need to reset a barrier, because a
        phase that completes leaves it ready for the next one. If its memory becomes data and no thread uses the
        mbarrier afterwards, the report is a warning.)",
    .remedy = R"(Initialise the mbarrier once and use its phases. Before you use its memory for anything else,
        synchronise and execute mbarrier.inval.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#parallel-synchronization-and-communication-instructions-mbarrier-inval",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* ends = facts.as<BarrierEndsInUse>())
            return Explanation{
                .action = "invalidated an mbarrier that another thread may still be using",
                .other_action = "used it",
                .message = "Nothing orders that use before mbarrier.inval, so the mbarrier "
                           "may disappear while the other thread arrives or waits.",
                .remedy =
                    ends->other_block
                        ? "Put a barrier of the cluster (cluster.sync()) between the last use of the mbarrier and "
                          "mbarrier.inval."
                        : "Put __syncthreads() between the last use of the mbarrier and mbarrier.inval.",
            };
        if (const auto* live = facts.as<events::LiveBarrierInitialised>())
            return Explanation{
                .action = "initialised an mbarrier that is in use",
                .message = fmt::format("The mbarrier {} is live. A second mbarrier.init discards its phase and "
                                       "its pending arrivals, and threads that wait on it may never wake.",
                                       live->name),
            };
        const auto* reused = facts.as<BarrierMemoryReused>();
        return reused ? std::optional(overwritten(*reused)) : std::nullopt;
    },
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ int in[2][64], out[2][64];

__global__ void reverse_rows() {
    __shared__ int row[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    for (int r = 0; r < 2; ++r) {
        if (i == 0)
            __mbarrier_init(&barrier, 64); // wrong: in the second round the barrier is live
        __syncthreads();
        row[i] = in[r][i];
        const __mbarrier_token_t token = __mbarrier_arrive(&barrier);
        while (!__mbarrier_test_wait(&barrier, token)) {
        }
        out[r][i] = row[63 - i];
        __syncthreads();
    }
}

int main() {
    reverse_rows<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
+    if (i == 0)
+        __mbarrier_init(&barrier, 64);
+    __syncthreads();
     for (int r = 0; r < 2; ++r) {
-        if (i == 0)
-            __mbarrier_init(&barrier, 64); // wrong: in the second round the barrier is live
-        __syncthreads();
)",
};

} // namespace sim::hazards
