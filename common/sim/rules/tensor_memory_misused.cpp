#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::string remedy_of(events::TensorAllocationWrong::What what) {
    using What = events::TensorAllocationWrong::What;
    switch (what) {
    case What::columns:
        return "Pass nCols a power of two from 32 to 512.";
    case What::grown:
        return "Make the largest allocation first.";
    case What::relinquished:
        return "Allocate everything before tcgen05.relinquish_alloc_permit.";
    case What::no_peer:
        return "Launch clusters of an even number of blocks, or use .cta_group::1.";
    case What::peer_differs:
        return "Let both warps of a pair pass the same operands.";
    case What::peer_unready:
        return "Execute a barrier of the cluster between the allocation and tcgen05.dealloc.cta_group::2.";
    case What::unknown:
        return "Free each allocation once, by the address that tcgen05.alloc has written.";
    case What::other_size:
        return "Pass tcgen05.dealloc the number of columns of the allocation.";
    }
    return {};
}

std::string remedy_of(events::TensorCellsWrong::What what) {
    using What = events::TensorCellsWrong::What;
    if (what == What::quarter || what == What::lane_missing)
        return "Add 32 * (warp % 4) to the lane of the address, which is in bits 31-16.";
    if (what == What::freed)
        return "Put a barrier of all warps that use Tensor Memory before tcgen05.dealloc.";
    return "Allocate as many columns as the instruction uses, and add what tcgen05.alloc has written to each address.";
}

} // namespace

const Rule rule::tensor_memory_misused{
    .name = "tensor-memory-misused",
    .title = "An allocation of Tensor Memory, or an access to it, is not a legal one",
    .why = R"(A block allocates columns of its SM's Tensor Memory by tcgen05.alloc of one whole warp, in powers of two
        from 32 to 512, and frees each allocation as a whole before it ends: otherwise a later block waits for these
        columns for ever. After tcgen05.relinquish_alloc_permit it allocates no more. With .cta_group::2, a warp of each
        block of a pair takes part, and makes sure beforehand that the other block has started. tcgen05.ld and .st of
        warp w reach the lanes from 32 * (w % 4) on, 32 of them, and all instructions only the columns that their block
        has allocated.)",
    .remedy = "Free what tcgen05.alloc has allocated, with the same number of columns, and use nothing else.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#tcgen05-memory-alloc-manage-instructions",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        using Cells = events::TensorCellsWrong;
        using Allocation = events::TensorAllocationWrong;
        if (const auto* leaked = facts.as<TensorLeaked>())
            return Explanation{
                .action = "allocated columns of Tensor Memory that are never freed",
                .message = fmt::format("The block has ended without freeing the {} columns from column {} on. On a GPU "
                                       "they stay allocated, and a block that needs them waits for ever.",
                                       leaked->columns, leaked->column),
                .remedy = "Execute tcgen05.dealloc by one warp, after a barrier of all warps that use Tensor Memory.",
            };
        if (const auto* unseen = facts.as<TensorPairUnseen>())
            return Explanation{
                .action = "allocated columns of Tensor Memory for a pair of blocks",
                .message = fmt::format("Block {} of the pair may not have started: this warp is not ordered after "
                                       "anything that it did. tcgen05.alloc.cta_group::2 works in both blocks, so the "
                                       "warp that executes it must make sure that the other block is running.",
                                       unseen->peer),
                .remedy = "Execute cluster.sync(), or barrier.cluster.arrive and barrier.cluster.wait, before the "
                          "allocation.",
                .severity = Severity::warning, // NVIDIA's own examples leave it out
            };
        if (const auto* wrong = facts.as<Allocation>())
            return Explanation{
                .action = wrong->what >= Allocation::What::unknown ? "freed columns of Tensor Memory"
                                                                   : "allocated columns of Tensor Memory",
                .other_action = "freed columns before",
                .message = wrong->text + (wrong->text.ends_with('.') ? "" : "."),
                .remedy = remedy_of(wrong->what),
                .severity = wrong->what == Allocation::What::grown ? Severity::warning : Severity::error,
            };
        if (const auto* cells = facts.as<Cells>(); cells && cells->what == Cells::What::freed)
            return Explanation{
                .action = "freed columns of Tensor Memory",
                .other_action = "accessed cells of Tensor Memory that have been freed",
                .message = cells->text + ".",
                .remedy = remedy_of(cells->what),
                .reversed = true,
            };
        if (const auto* cells = facts.as<Cells>())
            return Explanation{
                .action = "accessed cells of Tensor Memory without being allowed to",
                .message = cells->text + (cells->text.ends_with('.') ? "" : "."),
                .remedy = remedy_of(cells->what),
                .severity = cells->what == Cells::What::lane_missing ? Severity::warning : Severity::error,
            };
        return std::nullopt;
    },
    .suspected = {{"tcgen05.dealloc", 1}},
    .suspected_with = "tcgen05.alloc",
    .wrong = R"cuda(// Compile with --arch compute_100a.
__device__ unsigned out[32];

__global__ void turn() {
    __shared__ unsigned address;
    const unsigned word = unsigned(__cvta_generic_to_shared(&address)), i = threadIdx.x;
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(word) : "memory");
    const unsigned cells = address;
    asm volatile("tcgen05.st.sync.aligned.16x128b.x1.b32 [%0], {%1, %2};" ::"r"(cells), "r"(i), "r"(i + 100) : "memory");
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    unsigned value;
    asm volatile("tcgen05.ld.sync.aligned.16x64b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(cells) : "memory");
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    out[i] = value;
    // wrong: the columns stay allocated
}

int main() {
    turn<<<1, 32>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: the columns stay allocated
+    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(cells));
)",
};

} // namespace sim::hazards
