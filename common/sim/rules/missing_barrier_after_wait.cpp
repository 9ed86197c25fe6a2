#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

const char* after_the_wait(const Conflict& conflict) {
    return conflict.shared() && conflict.apart() == Apart::in_cluster
               ? "Put a barrier of the cluster (cluster.sync(), or barrier.cluster.arrive.release and "
                 "barrier.cluster.wait.acquire) between the wait and this access."
               : "Put __syncthreads() between the wait and this access. Where only some warps come, put a barrier with a "
                 "number and their count there, or move the wait before the barrier that they share already.";
}

/// Does tensormap.cp_fenceproxy write a map that a copy by a lane of this very warp has read? The warp executes it as
/// one, after all its lanes have come: CUTLASS leaves out __syncwarp() there.
bool published_by_its_warp(const Conflict& conflict, const BulkOp& op) {
    return reads_map(conflict.other) && op.block == conflict.warp.clock.block && op.warp == conflict.warp.clock.warp &&
           (effects_at(conflict.context().places, conflict.pc) & machine::effect::proxy_fence);
}

} // namespace

const Rule rule::missing_barrier_after_wait{
    .name = "missing-barrier-after-wait",
    .title = "The issuer of a copy has waited for it, but the reader is not ordered after that wait",
    .why = R"(A wait covers the copies of the thread that executes it and makes their bytes visible to that thread.
        Another thread may read them only after it has synchronised with the issuer, and the issuer must wait before
        that synchronisation.)",
    .remedy = R"(Put __syncthreads() (cluster.sync() between the blocks of a cluster) between the wait and the first
        access by another thread.)",
    .manual =
        "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#data-movement-and-conversion-instructions-cp-async-wait-group",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        if (const auto early = early_read(facts); early && early->by_copy() && early->waited)
            return read_before_the_copy(*early);
        const auto* conflict = facts.as<Conflict>();
        if (!conflict)
            return std::nullopt;
        if (const BulkFacts* bulk = conflict->bulk()) {
            const bool read = bulk->stage == BulkFacts::Stage::read;
            if (!read && bulk->stage != BulkFacts::Stage::complete)
                return std::nullopt;
            Explanation text{
                .action = fmt::format("{} bytes that another thread's bulk copy has {}", conflict->verb(),
                                      read ? "read" : "written"),
                .other_action = "issued the bulk copy",
                .message =
                    "The thread that issued the copy has waited for it, but nothing orders that wait before this access.",
                .remedy = after_the_wait(*conflict),
            };
            if (read)
                text.also = {{bulk->wait_pc, "the wait"}};
            if (published_by_its_warp(*conflict, *bulk->op)) {
                text.remedy = "Put __syncwarp() between the wait and this instruction.";
                text.severity = Severity::note;
            }
            return text;
        }
        const CopyFacts* copy = conflict->copy();
        if (!copy || copy->stage != CopyFacts::Stage::complete || conflict->role == Role::copy_destination)
            return std::nullopt;
        return Explanation{
            .action = fmt::format("{} bytes that another thread's copy has written", conflict->verb()),
            .other_action = issued(*copy),
            .message = "The thread that issued the copy has waited for it, but nothing orders that wait "
                       "before this access. A wait covers only the copies of the thread that executes it.",
            .remedy = after_the_wait(*conflict),
        };
    },
    .suspected = {{"cp.async.wait", 3}, {"bar", 3}},
    .suspected_with = "wait",
    .wrong = R"cuda(#include <cuda_pipeline_primitives.h>

__device__ int in[64], out[64];

__global__ void reverse() {
    __shared__ int tile[64];
    const int i = threadIdx.x;
    __pipeline_memcpy_async(&tile[i], &in[i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0); // wrong: this thread's own copy is complete, that of thread 63 - i may not be
    out[i] = tile[63 - i];
}

int main() {
    reverse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    __pipeline_wait_prior(0); // wrong: this thread's own copy is complete, that of thread 63 - i may not be
+    __pipeline_wait_prior(0);
+    __syncthreads();
)",
};

} // namespace sim::hazards
