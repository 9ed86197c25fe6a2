// What changes speed and no result: L2 cache policies, prefetch sizes, prefetches of bulk data. And a bulk reduction.
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;
constexpr int N = 128;

__global__ void add_to(const int* in, int* sums) {
    __shared__ alignas(16) int tile[2][N];
    __shared__ uint64_t full;
    const unsigned to = __cvta_generic_to_shared(&tile[0][4 * threadIdx.x]);
    if (threadIdx.x == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();
    uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(in + 4 * threadIdx.x), "l"(policy)
                 : "memory");
    if (threadIdx.x == 0) {
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(in + N), "n"(N * 4) : "memory");
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile[1]);
        const unsigned bulk = __cvta_generic_to_shared(tile[1]), barrier = __cvta_generic_to_shared(&full);
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, "
                     "[%3], %4;" ::"r"(bulk),
                     "l"(in + N), "n"(N * 4), "r"(barrier), "l"(policy)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    ptx::fence_proxy_async(ptx::space_shared); // tile[0] was written through the generic proxy
    __syncthreads();
    if (threadIdx.x == 0) {
        for (const auto& half : tile) {
            const unsigned from = __cvta_generic_to_shared(half);
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(sums),
                         "r"(from), "n"(N * 4)
                         : "memory");
        }
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    }
}

int main() {
    constexpr int BLOCKS = 3;
    int *in, *sums, values[2 * N], results[N];
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&sums, sizeof results);
    cudaMemset(sums, 0, sizeof results);
    for (int i = 0; i < 2 * N; ++i)
        values[i] = i;
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    add_to<<<BLOCKS, N / 4>>>(in, sums);
    cudaMemcpy(results, sums, sizeof results, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < N; ++i)
        right = right && results[i] == BLOCKS * (2 * i + N);
    std::puts(right ? "right" : "wrong");
    return !right;
}
