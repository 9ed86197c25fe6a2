#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::synchronous_copy{
    .name = "synchronous-copy",
    .severity = Severity::note,
    .title = "A copy that looks asynchronous was compiled to a synchronous one",
    .why = R"(cuda::memcpy_async and cooperative_groups::memcpy_async become cp.async only when the source and the
        destination are known to be aligned to 4, 8 or 16 bytes and the copy goes from global to shared memory.
        Otherwise they copy through registers: the result is right, but the thread waits for every load, and nothing
        overlaps.)",
    .remedy = R"(Tell the compiler the alignment (cuda::aligned_size_t, or a type of that alignment), and copy from
        global to shared memory.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#performance-guidance-for-memcpy-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* copy = facts.as<SynchronousCopy>();
        if (!copy)
            return std::nullopt;
        return Explanation{
            .action = "copied through registers",
            .message = fmt::format("The copy was compiled to ordinary loads and stores of {} byte{} "
                                   "each, because the compiler does not know that the source, the "
                                   "destination and the size are all multiples of 4, 8 or 16 bytes.",
                                   copy->bytes, copy->bytes == 1 ? "" : "s"),
        };
    },
    .wrong = R"cuda(#include <cuda/pipeline>

__device__ alignas(16) char in[64 * 16], out[64 * 16];

__global__ void copy() {
    __shared__ alignas(16) char tile[64 * 16];
    const int i = 16 * threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[i], &in[i], 15, pipe); // 15 bytes
    pipe.producer_commit();
    pipe.consumer_wait();
    out[i] = tile[i];
    pipe.consumer_release();
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    cuda::memcpy_async(&tile[i], &in[i], 15, pipe); // 15 bytes
+    cuda::memcpy_async(&tile[i], &in[i], cuda::aligned_size_t<16>(16), pipe);
)",
};

} // namespace sim::hazards
