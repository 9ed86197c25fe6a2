#include "sim/rules/phrases.h"

namespace sim::hazards {

const Rule rule::exit_before_completion{
    .name = "exit-before-completion",
    .title = "A thread exits while its bulk copy still uses the block's shared memory",
    .why = R"(When the last thread of a block has exited, the hardware may give the block's shared memory to another
        block. If a bulk copy has not read its whole source by then, it stores whatever the other block has written
        there. Only the thread that issued and committed a bulk store can wait for it. Bytes that are still on their
        way into the block's shared memory may likewise arrive in another block's, so a block waits for each copy that
        writes to it before it ends.)",
    .remedy = "Wait for the bulk group (cp.async.bulk.wait_group.read is enough) before the thread exits.",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-bulk-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* copy = facts.as<CopyOutlivesBlock>();
        if (!copy)
            return std::nullopt;
        switch (copy->what) {
        case CopyOutlivesBlock::What::source_of_load:
            return Explanation{
                .action = "issued a bulk copy from the shared memory of a block that then exited",
                .message = "The copy completes on an mbarrier of the receiving block, so no thread of this block knows "
                           "when it is complete. Another block may get this shared memory before the copy has read it.",
                .remedy = "Synchronise the cluster (barrier.cluster) after the "
                          "receiver's wait and before the threads of this block exit.",
            };
        case CopyOutlivesBlock::What::source_of_store:
            if (copy->wait == CopyOutlivesBlock::Wait::left_pending)
                return Explanation{
                    .action = "issued a bulk store and exited before the store had read its source",
                    .message =
                        "The thread's last wait allows the most recent bulk groups to stay pending, and the group of "
                        "this store is one of them.",
                    .remedy = "Wait with N = 0 once more before the thread exits (cp.async.bulk.wait_group.read 0 is "
                              "enough). If this wait is in a loop, leave it as it is and add the other one after the "
                              "loop; otherwise, use N = 0 in this wait.",
                    .cause = {copy->wait_pc, "this wait leaves the store's group pending"},
                };
            return Explanation{
                .action = "issued a bulk store and exited before the store had read its source",
                .message = "Another block may get this block's shared memory before the copy has read it.",
                .remedy = "Wait for the bulk group (cp.async.bulk.wait_group.read is enough) before the thread exits.",
            };
        case CopyOutlivesBlock::What::destination:
            return Explanation{
                .action = copy->from_register ? "stored (st.async) to the shared memory of a block that then exited"
                                              : "issued a bulk copy into the shared memory of a block that then exited",
                .message = "No thread waited for the bytes. They may arrive when "
                           "the shared memory already belongs to another block.",
                .remedy =
                    "Wait for the mbarrier phase that counts the bytes before the last thread exits, or do not send them.",
            };
        case CopyOutlivesBlock::What::destination_in_peer:
            return Explanation{
                .action = copy->from_register ? "stored (st.async) to the shared memory of a block that then exited"
                                              : "issued a bulk copy into the shared memory of a block that then exited",
                .message = fmt::format("Block {} of the cluster exited before the bytes had arrived, "
                                       "so its shared memory may already belong to another block.",
                                       copy->ended),
                .remedy = "Wait for the mbarrier phase that counts the bytes in the receiving block, or "
                          "synchronise the cluster, before the threads of that block exit.",
            };
        }
        return std::nullopt;
    },
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
    .changes = R"(
-    } // wrong: the copy may not have read the tile yet
+        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
+    }
)",
};

} // namespace sim::hazards
