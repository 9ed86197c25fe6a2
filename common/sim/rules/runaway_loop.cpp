#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::runaway_loop{
    .name = "runaway-loop",
    .title = "The kernel never ends",
    .why = R"(A loop does not end. Either its condition never becomes false, or the compiler evaluates it only once:
        it treats an asm statement without volatile as a pure function, and assumes that no other thread changes what
        an ordinary load reads.)",
    .remedy = R"(Check the condition of the loop that is running. Write a wait in inline PTX as asm volatile("…" :::
        "memory").)",
    .manual = "https://docs.nvidia.com/cuda/inline-ptx-assembly/index.html#incorrect-optimization",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* stop = facts.stopped(events::Stopped::Why::endless_loop);
        if (!stop)
            return std::nullopt;
        return Explanation{.action = "stopped here", .message = stop->what};
    },
    .wrong = R"cuda(__device__ int out;

__global__ void wait() {
    __shared__ unsigned long long barrier;
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(address) : "memory");
    __syncthreads();
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(address) : "memory");
    int done = 0;
    while (!done) // wrong: without volatile the compiler may test once, before the loop
        asm("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
            : "=r"(done) : "r"(address));
    out = 1;
}

int main() {
    wait<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    while (!done) // wrong: without volatile the compiler may test once, before the loop
-        asm("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
-            : "=r"(done) : "r"(address));
-    out = 1;
+    while (!done)
+        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.s32 %0, 1, 0, p; }"
+            : "=r"(done) : "r"(address) : "memory");
+    if (threadIdx.x == 0)
+        out = 1;
)",
};

} // namespace sim::hazards
