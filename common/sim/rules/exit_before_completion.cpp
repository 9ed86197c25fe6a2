#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* copy = facts.as<CopyOutlivesBlock>();
    if (!copy)
        return std::nullopt;
    switch (copy->what) {
    case CopyOutlivesBlock::What::source_of_load:
        return Explanation{
            .action = "issued a bulk copy from the shared memory of a block that then ended",
            .message = "The copy completes on an mbarrier of the receiving block, and nobody in this one was told that it "
                       "has: its shared memory may belong to another block before it has been read.",
            .remedy = "Synchronise the cluster after the receiver's wait, before the block's threads end.",
        };
    case CopyOutlivesBlock::What::source_of_store:
        return Explanation{
            .action = "issued a bulk store, and ended before the store had read its source",
            .message = "The block's shared memory may be given to another block before the copy has read it.",
            .remedy = "Wait for the bulk group (.read is enough) before the thread ends.",
        };
    case CopyOutlivesBlock::What::destination:
        return Explanation{
            .action = "issued a bulk copy into the shared memory of a block that then ended",
            .message = "Nobody waited for the copy: it may arrive when the shared memory belongs to another block already.",
            .remedy = "Wait for the copy's mbarrier phase before the last thread ends, or do not issue it.",
        };
    case CopyOutlivesBlock::What::destination_in_peer:
        return Explanation{
            .action = "issued a bulk copy into the shared memory of a block that then ended",
            .message = fmt::format("Block {} of the cluster ended before the copy had arrived: its shared memory may belong "
                                   "to another block by then.",
                                   copy->ended),
            .remedy = "Wait for the copy's mbarrier phase in the receiving block, or synchronise the cluster, before its "
                      "threads end.",
        };
    }
    return std::nullopt;
}

} // namespace

extern const Rule exit_before_completion;
const Rule exit_before_completion{
    .name = "exit-before-completion",
    .title = "A thread ends while its bulk copy still uses the block's shared memory",
    .why = "When the last thread of a block has ended, its shared memory goes to another block. A bulk copy from "
           "it that has not read everything by then stores what it finds there. Only the thread that issued a "
           "bulk store can wait for it.",
    .remedy = "Wait for the bulk group (cp.async.bulk.wait_group.read is enough) before the thread ends.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    .explain = explain,
    .suspected = {{"cp.async.bulk.wait", 1}, {"cp.async.bulk.commit", 1}},
    .suspected_with = "bulk",
    .wrong = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    } // wrong: the copy may not have read the tile yet
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (i == 0) {
        const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(out), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
