#include "sim/rules/host_access.h"

namespace sim::hazards {

const Rule rule::host_write_before_sync{
    .name = "host-write-before-sync",
    .title = "The host changes memory that a pending copy or kernel still uses",
    .why = R"(cudaMemcpyAsync with pinned memory returns before the copy has read its source, and a launch returns
        before the kernel has read its input. If the host refills the buffer, or managed memory that the kernel uses, at
        once, the device may receive the new data instead of the old.)",
    .remedy = R"(Wait for that work (cudaStreamSynchronize, cudaEventSynchronize) before you reuse its buffer, or
        alternate between two buffers.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        return touched_early(facts, true, HostMisuse::Kind::write_before_sync);
    },
    .wrong = R"cuda(__device__ int data[2][64];

int main() {
    int *host, *target;
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaGetSymbolAddress(reinterpret_cast<void**>(&target), data);
    for (int chunk = 0; chunk < 2; ++chunk) {
        for (int i = 0; i < 64; ++i)
            host[i] = 64 * chunk + i; // wrong: in the second round the first copy may still read this
        cudaMemcpyAsync(target + 64 * chunk, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
    }
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-            host[i] = 64 * chunk + i; // wrong: in the second round the first copy may still read this
+            host[i] = 64 * chunk + i;
         cudaMemcpyAsync(target + 64 * chunk, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
+        cudaStreamSynchronize(nullptr);
)",
};

} // namespace sim::hazards
