#include "sim/rules/phrases.h"

namespace sim::hazards {

namespace {

std::optional<Explanation> explain(const Facts& facts) {
    const auto* conflict = facts.as<Conflict>();
    if (!conflict || !conflict->only_unfenced() || !conflict->other_wrote || conflict->writer_fenced_elsewhere())
        return std::nullopt;
    const WarpHistory& history = conflict->warp.history;
    if (!history.proxy_fence_pc || history.synchronisations != history.proxy_fence_sync + 1)
        return std::nullopt;
    return Explanation{
        .action = through_async_proxy(*conflict),
        .other_action = "wrote it",
        .message = "The issuer of the copy executed fence.proxy.async before the barrier: that fences its own accesses, "
                   "and not what other threads wrote, which it got to know at the barrier.",
        .remedy = fence_there,
        .also = {{history.proxy_fence_pc, "the fence"}},
    };
}

} // namespace

extern const Rule fence_before_barrier;
const Rule fence_before_barrier{
    .name = "fence-before-barrier",
    .title = "The issuer's proxy fence comes before the barrier and covers its own writes only",
    .why = "fence.proxy.async orders what the executing thread is ordered after: before the barrier those are its "
           "own writes. What the other threads wrote becomes ordered at the barrier, on the generic path, with no "
           "fence on the way to the copy. Either each writer fences before the barrier, or the issuer fences after "
           "it.",
    .remedy = "Move the issuer's fence.proxy.async behind the barrier, or let every writer execute one before it.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/"
              "index.html#proxies",
    .explain = explain,
    .wrong = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    if (i == 0) // wrong: thread 0 has written one of the 64 numbers
        ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda/ptx>

__device__ alignas(16) int out[64];

__global__ void store() {
    namespace ptx = cuda::ptx;
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (i == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    store<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
