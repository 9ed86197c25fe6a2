#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::tensor_descriptor{
    .name = "tensor-descriptor",
    .title = "A descriptor of tcgen05 asks for a product that does not exist",
    .why =
        R"(tcgen05.mma learns the types and the shape of its product from the instruction descriptor, and where A and B are
        from two shared memory descriptors. Each kind of product has its own types and shapes, bits that are reserved must
        be 0, and each matrix in Tensor Memory begins in a certain lane. What a GPU does with anything else is
        undefined.)",
    .remedy =
        R"(Compare the descriptor field by field with the tables of the manual. In the instruction descriptor, N / 8 is in
        bits 22-17 and M / 16 in bits 28-24, and the types have other codes than in wgmma; in the shared memory
        descriptor, bits 48-46 are 1 and the swizzle mode is in bits 63-61.)",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-matrix-descriptors",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto* arranged = facts.as<TensorArranged>())
            return Explanation{
                .action =
                    fmt::format("read matrix {} in another arrangement than it was written in", arranged->operand),
                .other_action = "issued the bulk copy that wrote it",
                .message = fmt::format("The tensor map of the copy has {}, but the descriptor says {}.",
                                       swizzle(arranged->map), swizzle(arranged->descriptor)),
                .remedy = "Encode the same swizzle mode in the tensor map and in bits 63-61 of the descriptor: 2 is "
                          "128, 4 is 64 and 6 is 32 bytes.",
            };
        const auto* wrong = facts.as<events::TensorDescriptorWrong>();
        if (!wrong)
            return std::nullopt;
        return Explanation{.action = "asked for an operation that does not exist", .message = wrong->what};
    },
    .suspected = {},
    .suspected_with = "tcgen05.mma",
    .wrong = R"cuda(// Compile with --arch compute_100a.
__device__ unsigned out[128];

__global__ void multiply() {
    __shared__ alignas(128) unsigned short a[128 * 16], b[16 * 16];
    __shared__ alignas(8) unsigned long long done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    const unsigned bar = unsigned(__cvta_generic_to_shared(&done));
    for (unsigned k = i; k < 128 * 16; k += 128)
        a[k] = b[k % 256] = 0x3f80; // 1.0
    if (i == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(
                         unsigned(__cvta_generic_to_shared(&address)))
                     : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned cells = address;
    // Without swizzle: 128 bytes from 8 rows to the next 8, and the other half of K behind all rows.
    const unsigned long long in_a = __cvta_generic_to_shared(a) >> 4 | 128ull << 16 | 8ull << 32 | 1ull << 46;
    const unsigned long long in_b = __cvta_generic_to_shared(b) >> 4 | 16ull << 16 | 8ull << 32 | 1ull << 46;
    // wrong: bits 28-24 hold M / 16, not M / 8
    const unsigned product = 1u << 4 | 1u << 7 | 1u << 10 | 16u / 8 << 17 | 128u / 8 << 24;
    if (i == 0) {
        asm volatile("{.reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;}" ::"r"(
                         cells),
                     "l"(in_a), "l"(in_b), "r"(product)
                     : "memory");
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar) : "memory");
    }
    asm volatile("{.reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W;}" ::"r"(bar) : "memory");
    unsigned value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(cells + (i / 32 << 21)) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[i] = value;
    __syncthreads();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(cells));
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: bits 28-24 hold M / 16, not M / 8
-    const unsigned product = 1u << 4 | 1u << 7 | 1u << 10 | 16u / 8 << 17 | 128u / 8 << 24;
+    const unsigned product = 1u << 4 | 1u << 7 | 1u << 10 | 16u / 8 << 17 | 128u / 16 << 24;
)",
};

} // namespace sim::hazards
