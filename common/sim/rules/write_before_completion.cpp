#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::write_before_completion{
    .name = "write-before-completion",
    .title = "Bytes are written while an asynchronous copy is still writing them",
    .why = R"(Until a copy is complete, its destination belongs to the copy. An ordinary store to the same bytes races
        with the copy, and it is undefined which of the two remains. The copy may overwrite padding that a thread
        stores too early.)",
    .remedy = R"(Wait for the copy before you write to its destination, or do not copy the bytes that you overwrite
        (src-size fills the rest with zeros).)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        if (!conflict || (conflict->role != Role::store && conflict->role != Role::atomic))
            return std::nullopt;
        if (const CopyFacts* copy = conflict->copy(); copy && copy->stage != CopyFacts::Stage::complete)
            return Explanation{
                .action = in_flight(*conflict),
                .other_action = issued(*copy),
                .message = "Until the copy is complete, no thread may read or write its destination.",
            };
        const BulkFacts* bulk = conflict->bulk();
        if (!bulk || bulk->stage != BulkFacts::Stage::in_flight || !conflict->other_wrote)
            return std::nullopt;
        return not_waited_for(*conflict, *bulk->op);
    },
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void pad() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    if (i >= 60)
        tile[i] = 0; // wrong: the copy may still overwrite it
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    pad<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
+    __pipeline_wait_prior(0);
     if (i >= 60)
-        tile[i] = 0; // wrong: the copy may still overwrite it
-    __pipeline_wait_prior(0);
+        tile[i] = 0;
)",
};

} // namespace sim::hazards
