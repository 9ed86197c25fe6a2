#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::pageable_async_copy{
    .name = "pageable-async-copy",
    .severity = Severity::note,
    .title = "cudaMemcpyAsync with pageable host memory is not asynchronous",
    .why = R"(A copy engine reads and writes page-locked ("pinned") host memory. Pageable memory goes through a staging
        buffer of the driver. Today the call blocks the host for the whole copy, or until the data is in the staging
        buffer, and nothing overlaps with it. The manual says only that it may do so, so no program should rely on it.)",
    .remedy = "Allocate the host buffer with cudaMallocHost.",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misuse = facts.as<HostMisuse>();
        if (!misuse || misuse->kind != HostMisuse::Kind::pageable_copy)
            return std::nullopt;
        return Explanation{.message = misuse->message};
    },
    .wrong = R"cuda(#include <vector>

__device__ int data[64];

int main() {
    const std::vector<int> host(64, 1); // pageable
    void* target;
    cudaGetSymbolAddress(&target, data);
    cudaMemcpyAsync(target, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-#include <vector>
+#include <algorithm>

-    const std::vector<int> host(64, 1); // pageable
+    int* host;
+    cudaMallocHost(&host, 64 * sizeof(int)); // pinned
+    std::fill_n(host, 64, 1);

-    cudaMemcpyAsync(target, host.data(), 64 * sizeof(int), cudaMemcpyHostToDevice);
+    cudaMemcpyAsync(target, host, 64 * sizeof(int), cudaMemcpyHostToDevice);
)",
};

} // namespace sim::hazards
