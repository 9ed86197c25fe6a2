#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::no_overlap{
    .name = "no-overlap",
    .severity = Severity::note,
    .title = "The wait comes directly after the copy, so nothing overlaps",
    .why = R"(An asynchronous copy saves time only if the thread does something else between the issue and the wait:
        it computes on the previous tile, or issues more copies. A wait directly after the issue makes the copy a slow
        synchronous one.)",
    .remedy =
        "Issue the copy of the next tile before you compute on the current one, and leave it in flight in the wait.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#asynchronous-data-copies",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* waits = facts.as<NoOverlap>();
        if (!waits)
            return std::nullopt;
        return Explanation{
            .action = "waited",
            .message = fmt::format("{} of {} waits of this warp came directly after the copy that they "
                                   "wait for, so the warp did nothing while the copy was in flight.",
                                   waits->at_once, waits->waits),
        };
    },
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[8][64], out[8][64];

__global__ void twice() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    for (int t = 0; t < 8; ++t) {
        __pipeline_memcpy_async(&tile[i], &in[t][i], sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(0); // directly after the issue
        out[t][i] = 2 * tile[i];
    }
}

int main() {
    twice<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __shared__ int tile[64];
+    __shared__ int tile[2][64];
     const int i = threadIdx.x;
-    for (int t = 0; t < 8; ++t) {
-        __pipeline_memcpy_async(&tile[i], &in[t][i], sizeof(int));
+    for (int t = 0; t < 9; ++t) {
+        if (t < 8)
+            __pipeline_memcpy_async(&tile[t % 2][i], &in[t][i], sizeof(int)); // the next tile
         __pipeline_commit();
-        __pipeline_wait_prior(0); // directly after the issue
-        out[t][i] = 2 * tile[i];
+        __pipeline_wait_prior(1); // the previous tile
+        if (t > 0)
+            out[t - 1][i] = 2 * tile[(t - 1) % 2][i];
)",
};

} // namespace sim::hazards
