#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::misaligned_access{
    .name = "misaligned-access",
    .title = "An address is not a multiple of the access size",
    .why = R"(A load or store of 2, 4, 8 or 16 bytes needs an address that is a multiple of that size. A cast to a
        pointer to a vector type promises such an address. The hardware checks the address and aborts the launch if
        the promise is broken.)",
    .remedy = "Make the address a multiple of the access size, or use a smaller access.",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#device-memory-accesses",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* stop = facts.stopped(events::Stopped::Why::misaligned_access);
        if (!stop)
            return std::nullopt;
        return Explanation{.action = "stopped here", .message = stop->what};
    },
    .wrong = R"cuda(__device__ alignas(8) int in[132];
__device__ int out[64];

__global__ void add_pairs(int offset) {
    const int i = threadIdx.x;
    const int2 pair = reinterpret_cast<const int2*>(in + offset)[i];
    out[i] = pair.x + pair.y;
}

int main() {
    add_pairs<<<1, 64>>>(1); // wrong: in + 1 is 4-byte aligned, an int2 needs 8
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    add_pairs<<<1, 64>>>(1); // wrong: in + 1 is 4-byte aligned, an int2 needs 8
+    add_pairs<<<1, 64>>>(2);
)",
};

} // namespace sim::hazards
