#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::source_size_exceeds_copy{
    .name = "source-size-exceeds-copy",
    .title = "src-size is larger than the copy",
    .why = R"(The optional src-size of cp.async is the number of bytes that come from the source; the rest of the copy
        becomes zero. It must be between 0 and the size of the copy. A larger value is undefined, and so is a negative
        one, which is read as a very large number.)",
    .remedy = "Clamp src-size to the range from 0 to the size of the copy.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* copy = facts.as<events::SourceSizeTooLarge>();
        if (!copy)
            return std::nullopt;
        return Explanation{
            .action = fmt::format("copied {} bytes with a src-size of {}", copy->copy_bytes, copy->source_bytes),
            .message = fmt::format("src-size is the number of bytes, at most {}, that "
                                   "come from the source; a larger number is undefined.",
                                   copy->copy_bytes),
        };
    },
    .wrong = R"cuda(__device__ int in[60], out[64];

__global__ void copy() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[i]));
    const int left = i < 60 ? 4 * (60 - i) : 0; // wrong: more than 4 bytes
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(in + i), "r"(left) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    out[i] = tile[i];
}

int main() {
    copy<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    const int left = i < 60 ? 4 * (60 - i) : 0; // wrong: more than 4 bytes
+    const int left = i < 60 ? 4 : 0;
)",
};

} // namespace sim::hazards
