#include "sim/rules/list.h"

namespace sim::hazards {

const Rule rule::misaligned_copy{
    .name = "misaligned-copy",
    .title = "The address or size of a copy is not a multiple of what its instruction needs",
    .why = R"(cp.async copies 4, 8 or 16 bytes between addresses that are multiples of that size. Bulk copies need
        addresses and sizes that are multiples of 16. A tile copy needs a tile that is aligned to 128 bytes in shared
        memory, and an inner coordinate that is a multiple of 16 bytes. Anything else is undefined. On an H100, misaligned
        addresses and coordinates abort the launch, but a wrong size makes a load hang, and a store reports no error.)",
    .remedy = "Align the source, the destination and the size of the copy, or use a smaller copy size.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misaligned = facts.as<events::MisalignedCopy>();
        if (!misaligned)
            return std::nullopt;
        using Part = events::MisalignedCopy::Part;
        const char* action = misaligned->part == Part::address           ? "copied with a misaligned address"
                             : misaligned->part == Part::address_or_size ? "copied with a misaligned address or size"
                             : misaligned->part == Part::shared_address
                                 ? "copied with a misaligned shared address"
                                 : "copied a tile with a misaligned inner coordinate";
        return Explanation{
            .action = action,
            .message = misaligned->what,
            .remedy =
                misaligned->part == Part::inner_coordinate
                    ? "Let the tile start at a multiple of 16 bytes. Coordinates count elements, not tiles or bytes."
                    : "",
        };
    },
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ alignas(16) int in[260], out[256];

__global__ void shift(int offset) {
    __shared__ alignas(16) int tile[256];
    const int i = 4 * threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i + offset], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[i] = tile[i];
}

int main() {
    shift<<<1, 64>>>(1); // wrong: &in[1] is not a multiple of 16
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    shift<<<1, 64>>>(1); // wrong: &in[1] is not a multiple of 16
+    shift<<<1, 64>>>(4);
)",
};

} // namespace sim::hazards
