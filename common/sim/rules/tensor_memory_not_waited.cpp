#include "sim/rules/tensor_words.h"

namespace sim::hazards {

const Rule rule::tensor_memory_not_waited{
    .name = "tensor-memory-not-waited",
    .title = "Tensor Memory is used again before tcgen05.wait::ld or ::st",
    .why = R"(tcgen05.ld and tcgen05.st are asynchronous. A thread that uses the loaded registers waits for them, but
        that does not order the reading of Tensor Memory before a later write. tcgen05.wait::ld and tcgen05.wait::st
        wait until the warp's loads, or stores, are complete. Execute them before the warp releases the cells to
        another warp or to an mma, and wait::st before the warp itself loads what it has stored. To use a register
        before wait::ld is no error. A missing wait::ld before a release is an error if a loaded register has not been
        used by then, and else a warning: programs leave the wait out there.)",
    .remedy = "Execute tcgen05.wait::ld.sync.aligned (after loads) or tcgen05.wait::st.sync.aligned (after stores) "
              "before the arrival or the barrier that releases the cells.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-instructions-tcgen05-wait",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* conflict = facts.as<TensorConflict>();
        if (!conflict || conflict->why != TensorConflict::Why::not_waited)
            return std::nullopt;
        const bool stored = conflict->other.wrote;
        const char* wait = stored ? "tcgen05.wait::st" : "tcgen05.wait::ld";
        const bool before = stored && conflict->other.fenced;
        Explanation text{
            .action = tensor_action(*conflict),
            .other_action = stored ? "stored to them" : "loaded them",
            .message = fmt::format("Lane {} of column {}: the {} is issued before this access, but its warp has "
                                   "executed no {} between it and what orders the two.",
                                   conflict->lane, conflict->column, name_of(conflict->other.by), wait),
            .remedy = fmt::format("Execute {}.sync.aligned after the {}, before the release.", wait,
                                  name_of(conflict->other.by)),
            .severity = (stored && !before) || conflict->unused ? Severity::error : Severity::warning,
        };
        if (conflict->unused)
            text.message += fmt::format(" Until then no instruction has used {} of the registers that it loads, so "
                                        "nothing shows that it is complete.",
                                        conflict->unused);
        if (before)
            text.message += " A tcgen05.fence::before_thread_sync comes between; the manual asks for the wait, too.";
        return text;
    },
    .suspected = {{"tcgen05.wait", 1}},
    .suspected_with = "tcgen05",
    .wrong = R"cuda(// Compile with --arch compute_100a.
__device__ unsigned out[32];

__global__ void turn() {
    __shared__ unsigned address;
    const unsigned word = unsigned(__cvta_generic_to_shared(&address)), i = threadIdx.x;
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(word) : "memory");
    const unsigned cells = address;
    asm volatile("tcgen05.st.sync.aligned.16x128b.x1.b32 [%0], {%1, %2};" ::"r"(cells), "r"(i), "r"(i + 100) : "memory");
    // wrong: the stores may not be complete
    unsigned value;
    asm volatile("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(cells) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[i] = value;
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(cells));
}

int main() {
    turn<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: the stores may not be complete
+    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
)",
};

} // namespace sim::hazards
