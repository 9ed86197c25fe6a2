#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::free_while_in_use{
    .name = "free-while-in-use",
    .title = "Memory is freed while asynchronous work still uses it",
    .why = R"(Freeing memory that a pending copy or kernel uses is undefined unless the call waits for that work.
        cudaFree and cudaFreeHost wait for the device in today's implementation, which also serialises everything
        else. cudaFreeAsync on another stream and munmap do not wait.)",
    .remedy = R"(Wait for the work (cudaStreamSynchronize) before you free its memory, or free it in stream order with
        cudaFreeAsync.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misuse = facts.as<HostMisuse>();
        if (!misuse || misuse->kind != HostMisuse::Kind::free_while_in_use)
            return std::nullopt;
        return Explanation{.message = misuse->message};
    },
    .wrong = R"cuda(__device__ int data[64];

int main() {
    int *host, *target;
    cudaMallocHost(&host, 64 * sizeof(int));
    cudaGetSymbolAddress(reinterpret_cast<void**>(&target), data);
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    cudaMemcpyAsync(target, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
    return cudaFreeHost(host); // wrong: the copy may still read it
}
)cuda",
    .changes = R"(
-    return cudaFreeHost(host); // wrong: the copy may still read it
+    cudaStreamSynchronize(nullptr);
+    return cudaFreeHost(host);
)",
};

} // namespace sim::hazards
