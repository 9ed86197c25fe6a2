#include <fmt/format.h>

#include "sim/rules/list.h"

namespace sim::hazards {

namespace {

Explanation after_failure(const events::LaunchControlMisused& misuse) {
    return {
        .action = "requested another cluster after a request had failed",
        .message =
            misuse.same_warp
                ? "This block has already seen a request of clusterlaunchcontrol.try_cancel fail. Another "
                  "request is undefined behaviour then."
                : "Another warp of this block has already seen a request of clusterlaunchcontrol.try_cancel fail. "
                  "A request that comes after that is undefined behaviour.",
        .remedy =
            "Leave the loop as soon as query_cancel.is_canceled is false, and let the warp that issues the requests "
            "learn of it before its next one.",
        .severity = misuse.same_warp ? Severity::error : Severity::warning,
    };
}

Explanation of_failure() {
    return {
        .action = "used the coordinates of a cluster that was not cancelled",
        .message = "The request has failed, so its response holds no cluster: what "
                   "clusterlaunchcontrol.query_cancel.get_first_ctaid gives is undefined.",
        .remedy = "Ask query_cancel.is_canceled first, and use the coordinates only if it is true.",
    };
}

Explanation exited_peer(const events::LaunchControlMisused& misuse) {
    return {
        .action = "sent a response to a block that has exited",
        .message =
            fmt::format("The request writes its response to every block of the cluster (.multicast::cluster::all), "
                        "and the block of rank {} has exited. That is undefined behaviour.",
                        misuse.rank),
        .remedy = "Let all blocks of the cluster leave the loop together, after the same response, and end the kernel "
                  "with a barrier of the cluster (cluster.sync()).",
    };
}

} // namespace

const Rule rule::cluster_launch_control{
    .name = "cluster-launch-control",
    .title = "Cluster launch control is used in a way that is undefined",
    .why = R"(clusterlaunchcontrol.try_cancel asks for a cluster that has not started yet, and its response says whether
        that one was cancelled. When a block has seen a request fail, it must not issue another one. The coordinates of
        a failed request's response are undefined. A multicast request writes to every block of its cluster, so all of
        them have to be running.)",
    .remedy = "Stop at the first response that says no, in all blocks of the cluster.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "#parallel-synchronization-and-communication-instructions-clusterlaunchcontrol-try-cancel",
    .explain = [](const Facts& facts) -> std::optional<Explanation> {
        const auto* misuse = facts.as<events::LaunchControlMisused>();
        if (!misuse)
            return std::nullopt;
        using What = events::LaunchControlMisused::What;
        return misuse->what == What::request_after_failure ? after_failure(*misuse)
               : misuse->what == What::block_of_failure    ? of_failure()
                                                           : exited_peer(*misuse);
    },
    .wrong = R"cuda(#include <cstdint>

__device__ int out[8];

__device__ void request(unsigned response, unsigned bar) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(bar) : "memory");
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(
                     response),
                 "r"(bar)
                 : "memory");
}

__device__ void wait(unsigned bar, unsigned parity) {
    asm volatile("{ .reg .pred p; AGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra AGAIN; }" ::"r"(
                     bar),
                 "r"(parity)
                 : "memory");
}

__device__ bool next(unsigned response, int& tile) {
    int canceled;
    asm volatile("{ .reg .pred p; .reg .b128 r; ld.shared.b128 r, [%2];"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r; selp.b32 %0, 1, 0, p;"
                 "@p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }"
                 : "=r"(canceled), "+r"(tile)
                 : "r"(response)
                 : "memory");
    return canceled;
}

__global__ void tiles() { // for compute_100a
    __shared__ alignas(16) unsigned char response[16];
    __shared__ uint64_t barrier;
    const unsigned answer = __cvta_generic_to_shared(response), bar = __cvta_generic_to_shared(&barrier);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
    int tile = blockIdx.x;
    for (unsigned round = 0; round < 9; ++round) {
        out[tile] = tile;
        request(answer, bar);
        wait(bar, round & 1);
        const bool more = next(answer, tile);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (!more)
            continue; // wrong: no request may follow this one
    }
}

int main() {
    tiles<<<8, 1>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .changes = R"(
-            continue; // wrong: no request may follow this one
+            break;
)",
};

} // namespace sim::hazards
