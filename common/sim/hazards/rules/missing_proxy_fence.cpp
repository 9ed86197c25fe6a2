#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule missing_proxy_fence;
const Rule missing_proxy_fence{
    .name = "missing-proxy-fence",
    .title = "Generic and async proxy touch the same bytes without a proxy fence",
    .why = "Ordinary accesses and cp.async go through the generic proxy, bulk copies through the async proxy: "
           "two paths to the same memory. A barrier orders accesses on one path; only fence.proxy.async orders "
           "the generic accesses before it with the bulk copies that follow. Each writer executes it before the "
           "barrier, or the issuer of the copy after the barrier.",
    .remedy = "fence.proxy.async: by each writer before the barrier, or by the issuer after it.",
    .manual = "https://docs.nvidia.com/cuda/parallel-thread-execution/index.html#proxies",
    .wrong = R"cuda(__device__ alignas(16) int out[64];

__global__ void store() {
    __shared__ alignas(16) int tile[64];
    const int i = threadIdx.x;
    tile[i] = i;
    __syncthreads(); // wrong: no fence.proxy.async between the stores to the tile and the bulk copy
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
