#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::use_after_free{
    .name = "use-after-free",
    .title = "A kernel uses memory that has been freed",
    .why = R"(Freed memory may belong to another allocation. A kernel that is launched after the free, or that is
        still queued in another stream, must not access it.)",
    .remedy = R"(Free memory only after the work that uses it is complete (cudaStreamSynchronize,
        cudaDeviceSynchronize).)",
    .manual = "https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* outside = facts.as<OutsideLifetime>();
            outside && outside->when == OutsideLifetime::When::after_free)
            return Explanation{
                .action = "used memory that has been freed",
                .other_action = outside->freed_by + " frees it",
                .message =
                    fmt::format("{} comes after {} in the order of the streams.", outside->by, outside->freed_by),
                .remedy = "Free the memory behind the last work that uses it.",
            };
        if (const auto* misuse = facts.as<HostMisuse>(); misuse && misuse->kind == HostMisuse::Kind::freed_memory)
            return Explanation{.message = misuse->message};
        const auto* stop = facts.stopped(events::Stopped::Why::freed_memory);
        if (!stop)
            return std::nullopt;
        Explanation text{.action = "stopped here", .message = stop->what};
        if (stop->freed_at)
            text.also_calls.emplace_back(stop->freed_at, "the memory is freed here");
        if (stop->allocated_at)
            text.also_calls.emplace_back(stop->allocated_at, "it was allocated here");
        if (stop->launched_at)
            text.also_calls.emplace_back(stop->launched_at, "the kernel is launched here");
        return text;
    },
    .wrong = R"cuda(__global__ void fill(int* data) {
    data[threadIdx.x] = threadIdx.x;
}

int main() {
    int* data;
    cudaMalloc(&data, 64 * sizeof(int));
    cudaFree(data);
    fill<<<1, 64>>>(data); // wrong: the memory has been freed
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    cudaFree(data);
-    fill<<<1, 64>>>(data); // wrong: the memory has been freed
-    return cudaDeviceSynchronize();
+    fill<<<1, 64>>>(data);
+    return cudaFree(data); // waits for the kernel
)",
};

} // namespace sim::hazards
