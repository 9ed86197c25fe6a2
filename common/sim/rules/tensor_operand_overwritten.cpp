#include "sim/rules/tensor_words.h"

namespace sim::hazards {

const Rule rule::tensor_operand_overwritten{
    .name = "tensor-operand-overwritten",
    .title = "Shared memory changes while a tcgen05 operation reads it",
    .why = R"(tcgen05.mma and tcgen05.cp read shared memory at any moment between their issue and their completion. A
        stage may be refilled only by a thread that is ordered after the phase on which a tcgen05.commit of the issuing
        thread arrives. An ordinary arrival of that thread releases its own accesses, not those of the operations that
        it has issued.)",
    .remedy = "Release the stage by tcgen05.commit on its mbarrier, in the thread that has issued the operations.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-instructions-tcgen05-commit",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<Conflict>();
        const BulkOp* newest = conflict && conflict->role == Role::async_read ? conflict->newest_copy() : nullptr;
        if (newest && newest->tensor_group && conflict->ordinary() && conflict->other_wrote &&
            !conflict->only_unfenced() && conflict->meant_first())
            return Explanation{
                .action = "wrote to shared memory that a tcgen05 operation may still have been reading",
                .other_action = "issued it",
                .message = "Nothing orders the operation, and a wait for its commit, before this write. In this run "
                           "the write came first.",
                .remedy = "Wait for the phase on which its commit arrives before the write.",
                .reversed = true,
            };
        if (!conflict || !conflict->bulk() || !conflict->bulk()->op->tensor_group || !conflict->writes())
            return std::nullopt;
        const BulkOp& op = *conflict->bulk()->op;
        const TensorCommits& commits = conflict->context().ordering.commits;
        Explanation text{
            .action = conflict->role == Role::async_write
                          ? "issued a copy into shared memory that a tcgen05 operation may still have been reading"
                          : "wrote to shared memory that a tcgen05 operation may still have been reading",
            .other_action = "issued it",
        };
        if (const auto* commit = commits.first_after(op))
            commit_unawaited(text, conflict->barrier(commit->barrier), commit->pc);
        else if (const auto* other = commits.by_another(op); other && !other->upto)
            committed_elsewhere(text, {}, other->pc);
        else
            text.message = "Its thread has executed no tcgen05.commit since, and an ordinary arrival, or a barrier, "
                           "does not track the operation.";
        return text;
    },
    .suspected = {{"tcgen05.commit", 2}, {"mbarrier.try_wait", 3}},
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
    b[i] = 0; // wrong: the multiplication may still read it
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
                     "r"(shared(&done))
                 : "memory");
    float value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(d + (i / 32 << 21)));
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[i] = i % 32 < 16 ? value : 0; // the rows of M = 64
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
-    b[i] = 0; // wrong: the multiplication may still read it
     asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::
                      "r"(shared(&done))
                  : "memory");
+    b[i] = 0;
)",
};

} // namespace sim::hazards
