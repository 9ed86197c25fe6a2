#include "sim/rules/tensor_words.h"

namespace sim::hazards {

const Rule rule::tensor_memory_before_commit{
    .name = "tensor-memory-before-commit",
    .title = "Tensor Memory is used before the tcgen05 operation that uses it is known to be complete",
    .why = R"(tcgen05.mma, .cp and .shift run after the instruction that issues them. tcgen05.commit of the same thread
        makes an mbarrier track all that the thread has issued so far; a commit by another thread tracks none of them.
        Only a wait for the phase on which that commit arrives shows that the accumulator holds the result, and that
        operands in Tensor Memory have been read. Operations of one thread run in order only as far as they form a
        pipeline: two mma with the same accumulator and shape, or cp before mma.)",
    .remedy = "Let the thread that has issued the operation execute tcgen05.commit, and wait for that phase of its "
              "mbarrier before the access.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        using Why = TensorConflict::Why;
        const auto* conflict = facts.as<TensorConflict>();
        if (conflict && conflict->now.is_operation() && conflict->meant_first)
            return Explanation{
                .action = tensor_action(conflict->other, conflict->now, false),
                .other_action = "issued it",
                .message =
                    fmt::format("Lane {} of column {}: nothing orders this access after the completion of the {}. "
                                "In this run it came even before the operation was issued.",
                                conflict->lane, conflict->column, name_of(conflict->now.by)),
                .reversed = true,
            };
        if (!conflict || !conflict->other.is_operation() || conflict->why == Why::overlap ||
            conflict->why == Why::relaxed)
            return std::nullopt;
        Explanation text{
            .action = tensor_action(*conflict),
            .other_action = "issued it",
            .message = fmt::format("Lane {} of column {}: nothing says that the {} is complete. ", conflict->lane,
                                   conflict->column, name_of(conflict->other.by)),
        };
        if (conflict->why == Why::unawaited)
            commit_unawaited(text, conflict->barrier, conflict->commit_pc);
        else if (conflict->why == Why::committed_elsewhere)
            committed_elsewhere(text, conflict->barrier, conflict->commit_pc);
        else
            text.message += "Its thread has executed no tcgen05.commit since.";
        return text;
    },
    .suspected = {{"tcgen05.commit", 1}, {"mbarrier.try_wait", 2}},
    .suspected_with = "tcgen05.mma",
    .wrong = R"cuda(// Compile with --arch compute_100a.
__device__ float out[128];

__device__ unsigned shared(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

__global__ void multiply() {
    __shared__ alignas(128) unsigned short a[1024], b[128]; // 64 rows and 8 columns of 16 bf16
    __shared__ unsigned long long done;
    __shared__ unsigned address;
    const unsigned i = threadIdx.x;
    for (unsigned k = i; k < 1024; k += 128)
        a[k] = 0x3f80; // 1.0
    b[i] = 0x3f80;
    if (i == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&done)) : "memory");
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared(&address))
                     : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned d = address, m64n8 = 4 << 24 | 1 << 17 | 1 << 10 | 1 << 7 | 1 << 4;
    const unsigned long long layout = 1ull << 46 | 16ull << 32 | 8ull << 16;
    if (i == 0)
        asm volatile("{ .reg .pred p; setp.ne.u32 p, 0, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::
                         "r"(d), "l"(layout | shared(a) >> 4), "l"(layout | shared(b) >> 4), "r"(m64n8)
                     : "memory");
    if (i == 0)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(&done))
                     : "memory");
    // wrong: no wait for the phase on which the commit arrives
    float value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[i] = i % 32 < 16 ? value : 0; // the rows of M = 64
    __syncthreads();
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
                     "r"(shared(&done))
                 : "memory");
    __syncthreads();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(d));
}

int main() {
    multiply<<<1, 128>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: no wait for the phase on which the commit arrives
+    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
+                     "r"(shared(&done))
+                 : "memory");

     __syncthreads();
-    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
-                     "r"(shared(&done))
-                 : "memory");
)",
};

} // namespace sim::hazards
