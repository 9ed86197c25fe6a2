#include "sim/diagnosis/outcomes.h"
#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::another_outcome{
    .name = "another-outcome",
    .severity = Severity::note,
    .title = "Two loads may both miss the other thread's store, although the device executes them in order",
    .why = R"(Two threads each store to one location and then load the other's. A load may overtake an earlier store of
        its thread to another location, also if both are atomic, so each load may return the old value. Only a fence.sc
        between the store and the load, in both threads, makes at least one of them see the other's store. The simulated
        device executes strong accesses in order. It looks for this shape in kernels in which at most eight threads make
        strong accesses, as in a litmus test.)",
    .remedy =
        R"(If the program relies on one of the loads, put a sequentially consistent fence between the store and the
        load of both threads: cuda::atomic_thread_fence(cuda::memory_order_seq_cst), or __threadfence().)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#fence-sc",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* buffered = facts.as<StoreBuffered>();
        if (!buffered)
            return std::nullopt;
        return Explanation{
            .action = "loaded what the other thread had stored",
            .other_action = "stored it",
            .message = fmt::format(
                "Another outcome is allowed: both loads may return the old values, because a load may "
                "overtake the store that comes before it in its thread.{}",
                buffered->half_fenced ? " A fence.sc in one of the threads alone does not prevent it." : ""),
            .also = {{buffered->own_store_pc, "the store that this load may overtake"},
                     {buffered->other_load_pc, "the other thread's load, which saw the old value"}},
        };
    },
    .wrong = R"cuda(#include <cuda/atomic>

__device__ int first_wants, second_wants, both_entered[2];
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

__device__ bool enter(int& mine, int& other) {
    Flag(mine).store(1, cuda::memory_order_relaxed);
    return Flag(other).load(cuda::memory_order_relaxed) == 0; // may be 0 in both blocks
}

__global__ void enter_once() {
    both_entered[blockIdx.x] =
        blockIdx.x == 0 ? enter(first_wants, second_wants) : enter(second_wants, first_wants);
}

int main() {
    enter_once<<<2, 1>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
     Flag(mine).store(1, cuda::memory_order_relaxed);
-    return Flag(other).load(cuda::memory_order_relaxed) == 0; // may be 0 in both blocks
+    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
+    return Flag(other).load(cuda::memory_order_relaxed) == 0;
)",
};

} // namespace sim::hazards
