#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::source_filled_too_late{
    .name = "source-filled-too-late",
    .title = "A copy takes its bytes before a host function that precedes it has written them",
    .why = R"(A host function (cudaLaunchHostFunc, cudaStreamAddCallback) runs when its turn in the stream comes. A copy
        from pageable memory may take its source when it is called, into a staging buffer of the driver. Although the
        copy comes behind the function in the stream, the device then receives what the buffer held before.)",
    .remedy = R"(Allocate the host buffer with cudaMallocHost, so that the copy reads it when its turn comes, or wait
        for the function (cudaStreamSynchronize) before you call the copy.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/api-sync-behavior.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misuse = facts.as<HostMisuse>();
        if (!misuse || misuse->kind != HostMisuse::Kind::staged_too_early)
            return std::nullopt;
        return Explanation{.message = misuse->message};
    },
    .wrong = R"cuda(__device__ int data[64];
int table[64];

void fill(void* to) {
    for (int i = 0; i < 64; ++i)
        static_cast<int*>(to)[i] = i + 1;
}

int main() {
    int* host = table; // pageable
    cudaLaunchHostFunc(nullptr, fill, host);
    cudaMemcpyToSymbolAsync(data, host, sizeof data, 0, cudaMemcpyHostToDevice); // wrong: takes the zeros
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    int* host = table; // pageable
+    int* host;
+    cudaMallocHost(&host, sizeof data); // pinned

-    cudaMemcpyToSymbolAsync(data, host, sizeof data, 0, cudaMemcpyHostToDevice); // wrong: takes the zeros
+    cudaMemcpyToSymbolAsync(data, host, sizeof data, 0, cudaMemcpyHostToDevice);
)",
};

} // namespace sim::hazards
