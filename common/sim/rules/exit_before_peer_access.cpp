#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

const char* action(PeerAccesses::What what) {
    switch (what) {
    case PeerAccesses::What::read:
        return "read the shared memory of a block of the cluster that may have exited";
    case PeerAccesses::What::write:
        return "wrote to the shared memory of a block of the cluster that may have exited";
    case PeerAccesses::What::atomic:
        return "updated the shared memory of a block of the cluster that may have exited";
    case PeerAccesses::What::arrival:
        return "arrived on an mbarrier of a block of the cluster that may have exited";
    }
    return "";
}

} // namespace

const Rule rule::exit_before_peer_access{
    .name = "exit-before-peer-access",
    .title = "A block may exit while another block of its cluster still uses its shared memory",
    .why = R"(Distributed shared memory lives as long as its block: when the last thread of a block has exited, the
        hardware may give the shared memory to another block. Each access from another block of the cluster has to
        come before that. A cluster barrier after the last access orders it, or a phase of an mbarrier that the
        accessing threads complete and the owner of the memory waits for.)",
    .remedy = R"(Call cluster.sync() in every block of the cluster after the last remote access and before the end of
        the kernel.)",
    .manual = "https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#distributed-shared-memory",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* access = facts.as<PeerOutlived>();
        if (!access)
            return std::nullopt;
        if (access->relaxed)
            return Explanation{
                .action = action(access->what),
                .message =
                    "The blocks meet at a cluster barrier afterwards, but this thread's arrival there is relaxed: it "
                    "does not order what the thread did before it, which may reach the other block when that has exited.",
                .remedy =
                    "Arrive with barrier.cluster.arrive (a release by default) after the last access to the other "
                    "block. A relaxed arrival is enough only if nothing before it has to be ordered.",
                .severity = Severity::note,
            };
        if (access->what == PeerAccesses::What::arrival)
            return Explanation{
                .action = action(access->what),
                .message =
                    "That block neither waits for the phase of this arrival, nor does a cluster barrier order the "
                    "arrival before its end. When it has exited, its shared memory may belong to another block.",
                .remedy =
                    "Let the block that owns the mbarrier wait for the phase before it exits, or end the kernel with "
                    "cluster.sync() in every block.",
            };
        return Explanation{
            .action = action(access->what),
            .message = "Nothing orders this access before the end of that block. When the block has exited, its shared "
                       "memory may belong to another block.",
            .remedy =
                "Call cluster.sync() (barrier.cluster.arrive and wait) in every block of the cluster after the last "
                "access and before the end of the kernel.",
        };
    },
    .suspected = {{"barrier.cluster.wait", 1}},
    .suspected_with = "mapa",
    .wrong = R"cuda(#include <cooperative_groups.h>

__device__ int out[128];

__global__ void __cluster_dims__(2) swap() {
    __shared__ int tile[64];
    auto cluster = cooperative_groups::this_cluster();
    tile[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
    cluster.sync();
    const int* other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[blockIdx.x * 64 + threadIdx.x] = other[threadIdx.x];
    // wrong: the other block may have exited before this one has read
}

int main() {
    swap<<<2, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-    // wrong: the other block may have exited before this one has read
+    cluster.sync();
)",
};

} // namespace sim::hazards
