#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::wgmma_descriptor{
    .name = "wgmma-descriptor",
    .title = "A matrix descriptor does not describe the matrix in shared memory",
    .why = R"(A descriptor says in which arrangement wgmma.mma_async finds a matrix: its start, two strides, and the
        swizzle. The swizzle must be the one with which the tensor map wrote the tile, and for a tile that TMA has
        written the base offset must be 0, because both permute by the shared address itself. All warps of a warpgroup must pass the same descriptor.
        Otherwise the operation multiplies other elements than you mean, without an error.)",
    .remedy = R"(Encode the same swizzle mode in the tensor map and in bits 63-62 of the descriptor: 1 is 128, 2 is 64
        and 3 is 32 bytes.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#asynchronous-warpgroup-level-matrix-shared-memory-layout-matrix-descriptor",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* differ = facts.as<events::DescriptorsDiffer>())
            return Explanation{
                .action = "issued one wgmma.mma_async with different descriptors",
                .message = fmt::format(
                    "The warps of the warpgroup pass different descriptors of {}. Each warp has its own rows of "
                    "the result, but the operation has one A and one B.",
                    differ->operand),
                .remedy = "Compute the descriptor from values that are the same in all threads of the warpgroup.",
            };
        if (const auto* beyond = facts.as<events::OperandBeyondTile>())
            return Explanation{
                .action = fmt::format("read matrix {} beyond the tile in which it begins", beyond->operand),
                .other_action = "issued the bulk copy that writes the bytes behind the tile",
                .message = fmt::format("Matrix {} begins in a tile that has been waited for, and goes on in one that "
                                       "has not: the bytes from {} behind its first byte on belong to another copy.",
                                       beyond->operand, beyond->behind),
                .remedy = "Let the descriptor begin at the first row that the operation reads: 64 rows for A, which "
                          "depend on the warpgroup, and as many for B as its N says, which are the same for all "
                          "warpgroups.",
            };
        const auto* mismatch = facts.as<events::DescriptorMismatch>();
        if (!mismatch)
            return std::nullopt;
        const bool spans = mismatch->descriptor != mismatch->map;
        return Explanation{
            .action = fmt::format("read matrix {} in another arrangement than it was written in", mismatch->operand),
            .other_action = "issued the bulk copy that wrote it",
            .message =
                spans ? fmt::format("The tensor map of the copy has {}, but the descriptor says {}.",
                                    swizzle(mismatch->map), swizzle(mismatch->descriptor))
                      : fmt::format(
                            "The descriptor has the base offset {}, but the copy permuted by the shared address, so "
                            "it must be 0.",
                            mismatch->base_offset),
            .remedy = spans ? "" : "Set bits 51-49 of the descriptor to 0.",
            .severity = spans && mismatch->map == 0 ? Severity::warning : Severity::error,
        };
    },
    .suspected = {},
    .suspected_with = "wgmma",
    .wrong = R"cuda(__device__ float out[128];

__global__ void multiply() {
    __shared__ alignas(128) unsigned short b[256];
    const int i = threadIdx.x;
    b[i] = b[i + 128] = 0x3f80; // 1.0
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    // wrong: each warp passes another address
    const unsigned long long matrix = (__cvta_generic_to_shared(b) >> 4) + i / 32 | 8ull << 16 | 16ull << 32;
    float d[4] = {};
    const unsigned ones = 0x3f803f80; // two bf16
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %4, %4, %4}, %5, "
                 "0, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ones), "l"(matrix));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[i] = d[0];
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: each warp passes another address
-    const unsigned long long matrix = (__cvta_generic_to_shared(b) >> 4) + i / 32 | 8ull << 16 | 16ull << 32;
+    const unsigned long long matrix = __cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;
)",
};

} // namespace sim::hazards
