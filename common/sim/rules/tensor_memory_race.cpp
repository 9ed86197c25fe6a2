#include "sim/rules/tensor_words.h"

namespace sim::hazards {

const Rule rule::tensor_memory_race{
    .name = "tensor-memory-race",
    .title = "Accesses to the same cells of Tensor Memory are not ordered",
    .why = R"(Tensor Memory is shared by the warps of a block (two warps with the same number modulo 4 access the same
        quarter of its lanes), by the operations that its threads issue, and by the owner of the next allocation. Like
        shared memory, it needs a barrier or an mbarrier between one thread's access and another's, after the wait that
        completes the first one. Behind relaxed barrier operations, tcgen05.fence::before_thread_sync and
        ::after_thread_sync are needed, too. Operations of one thread with different accumulators, or shapes, have no
        order at all.)",
    .remedy = "Put a barrier, or an mbarrier arrival and a wait for it, between the two accesses.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-memory-consistency-model",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        using Why = TensorConflict::Why;
        const auto* conflict = facts.as<TensorConflict>();
        if (!conflict)
            return std::nullopt;
        const TensorUse& other = conflict->other;
        Explanation text{
            .action = tensor_action(*conflict),
            .other_action = other.is_operation() ? "issued it"
                            : other.wrote        ? "stored to them"
                                                 : "loaded them",
        };
        if (conflict->meant_first) {
            const TensorUse& now = conflict->now;
            constexpr const char* before = "Lane {} of column {}: nothing orders the {} before this access. In this "
                                           "run it came after it.";
            constexpr const char* after = "Lane {} of column {}: nothing orders the {} after this access. In this run "
                                          "it came after it.";
            const char* what = conflict->frees ? "tcgen05.dealloc" : name_of(now.by);
            text.action = conflict->frees ? tensor_verb(other, false) + " of Tensor Memory that may have been freed"
                                          : tensor_action(other, now, false);
            text.other_action = conflict->frees      ? "freed them"
                                : now.is_operation() ? "issued it"
                                : now.wrote          ? "stored to them"
                                                     : "loaded them";
            text.message =
                fmt::format(fmt::runtime(conflict->frees ? after : before), conflict->lane, conflict->column, what);
            text.reversed = true;
        } else if (conflict->why == Why::overlap) {
            text.message = fmt::format("Lane {} of column {}: two operations without an order write these cells. Only "
                                       "tcgen05.mma with the same accumulator and shape form a pipeline.",
                                       conflict->lane, conflict->column);
            text.remedy = "Give each accumulator columns of its own, or commit the first operation and wait for it.";
        } else if (conflict->why == Why::relaxed) {
            text.message = fmt::format("Lane {} of column {}: this thread has waited for the phase by a relaxed wait, "
                                       "which orders no tcgen05 operation.",
                                       conflict->lane, conflict->column);
            text.remedy =
                "Execute tcgen05.fence::after_thread_sync after the relaxed wait, or use a wait that acquires.";
        } else {
            text.message = fmt::format("Lane {} of column {}: nothing orders the {} before this access.",
                                       conflict->lane, conflict->column, name_of(other.by));
        }
        if (conflict->frees)
            text.remedy = "Put a barrier of all warps that use Tensor Memory before tcgen05.dealloc.";
        return text;
    },
    .suspected = {{"bar", 2}, {"mbarrier.arrive", 2}, {"tcgen05.fence", 3}},
    .suspected_with = "tcgen05",
    .wrong = R"cuda(// Compile with --arch compute_100a.
__device__ unsigned out[160];

__global__ void pass() {
    __shared__ unsigned address;
    const unsigned word = unsigned(__cvta_generic_to_shared(&address)), i = threadIdx.x;
    if (i < 32)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(word) : "memory");
    __syncthreads();
    const unsigned cells = address;
    if (i < 32) {
        asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(cells), "r"(i) : "memory");
        asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    }
    // wrong: nothing orders the loads of warp 4 after the stores of warp 0
    if (i >= 128) { // warps 0 and 4 share a quarter of the lanes
        unsigned value;
        asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(cells) : "memory");
        asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
        out[i] = value;
    }
    __syncthreads();
    if (i < 32)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(cells));
}

int main() {
    pass<<<1, 160>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: nothing orders the loads of warp 4 after the stores of warp 0
+    __syncthreads();
)",
};

} // namespace sim::hazards
