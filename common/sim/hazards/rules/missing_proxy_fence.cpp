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
    .wrong = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ alignas(16) int in[64], out[64];

__global__ void reuse() {
    __shared__ alignas(16) int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    tile[i] = i; // ordinary stores
    if (i == 0)
        __mbarrier_init(&barrier, 1);
    __syncthreads(); // wrong: no fence.proxy.async before it
    const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
    if (i == 0)
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%2], 256;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2]; }"
                     ::"r"(to), "l"(in), "r"(bar) : "memory");
    while (!__mbarrier_test_wait_parity(&barrier, 0)) {
    }
    out[i] = tile[i];
}

int main() {
    reuse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
    .right = R"cuda(#include <cuda_awbarrier_primitives.h>

__device__ alignas(16) int in[64], out[64];

__global__ void reuse() {
    __shared__ alignas(16) int tile[64];
    __shared__ __mbarrier_t barrier;
    const int i = threadIdx.x;
    tile[i] = i; // ordinary stores
    if (i == 0)
        __mbarrier_init(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned to = __cvta_generic_to_shared(tile), bar = __cvta_generic_to_shared(&barrier);
    if (i == 0)
        asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%2], 256;\n"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2]; }"
                     ::"r"(to), "l"(in), "r"(bar) : "memory");
    while (!__mbarrier_test_wait_parity(&barrier, 0)) {
    }
    out[i] = tile[i];
}

int main() {
    reuse<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
)cuda",
};

} // namespace sim::hazards
