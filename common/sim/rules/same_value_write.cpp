#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::same_value_write{
    .name = "same-value-write",
    .severity = Severity::note,
    .title = "Several threads store the same value without being ordered",
    .why = R"(By the letter of the memory model these stores race, although all of them store the same value. On
        today's hardware the result is right. Still, every thread pays for a store, and the program breaks as soon as
        the values differ.)",
    .remedy = "Let one thread store the value.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || !conflict->same_value)
            return std::nullopt;
        if (conflict->reads() && conflict->same_line())
            return std::nullopt; // x += 1: the stores agree because counts were lost
        if (conflict->reads())
            return Explanation{
                .action = fmt::format("read {} memory that several threads wrote", conflict->memory()),
                .other_action = "wrote it",
                .message =
                    "Nothing orders the writes before this read. All of them store the same value, so it does not matter "
                    "which one of them the read sees.",
                .remedy = order_the_two(*conflict, "Put a barrier between the writes and the read."),
            };
        return Explanation{
            .action = fmt::format("wrote {} memory that another thread wrote", conflict->memory()),
            .other_action = "wrote it, too",
            .message = "Nothing orders the two writes. Both store the same "
                       "value, so the result does not depend on their order.",
        };
    },
    .wrong = R"cuda(__device__ int in[64], found;

__global__ void contains_zero() {
    if (in[threadIdx.x] == 0)
        found = 1; // every thread that found one stores it
}

int main() {
    contains_zero<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    if (in[threadIdx.x] == 0)
-        found = 1; // every thread that found one stores it
+    const bool any = __syncthreads_or(in[threadIdx.x] == 0);
+    if (threadIdx.x == 0)
+        found = any;
)",
};

} // namespace sim::hazards
