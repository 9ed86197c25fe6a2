// cuda::barrier with transaction bytes, by every name: memcpy_async_tx, barrier_arrive_tx, barrier_expect_tx and
// barrier_native_handle, with which cuda::ptx waits at the same object; one thread by invoke_one and by is_elected.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int N = 256; // threads, and elements of a tile

// Warp 0, by a value that is the same in all its lanes, then one lane of it. (Newer libcu++ has cuda::ptx::elect_sync.)
__device__ bool is_elected() {
    const unsigned warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    unsigned one = 0;
    if (warp == 0)
        asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(one));
    return one;
}

__global__ void twice(const int* in, int* out) {
    __shared__ alignas(16) int tile[2][N];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier bar;
    if (threadIdx.x == 0)
        init(&bar, N);
    __syncthreads();

    // phase 0: the bytes announced with an arrival; the wait is by token
    Barrier::arrival_token token;
    const bool chosen = is_elected();
    if (chosen) {
        cuda::device::memcpy_async_tx(tile[0], in, cuda::aligned_size_t<16>(sizeof tile[0]), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile[0]);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));

    // phase 1: the bytes announced apart from the arrival; the wait is by parity, through the native handle
    uint64_t* const handle = cuda::device::barrier_native_handle(bar);
    cg::invoke_one(cg::coalesced_threads(), [&] {
        if (threadIdx.x / 32 == 0) {
            cuda::device::barrier_expect_tx(bar, sizeof tile[1]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[1], in + N, sizeof tile[1], handle);
        }
    });
    __syncwarp();
    (void)bar.arrive();
    while (!ptx::mbarrier_try_wait_parity(handle, 1))
        ;
    out[threadIdx.x] = 2 * tile[0][N - 1 - threadIdx.x];
    out[N + threadIdx.x] = 2 * tile[1][N - 1 - threadIdx.x];
}

int main() {
    int *in, *out, values[2 * N], results[2 * N];
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof values);
    for (int i = 0; i < 2 * N; ++i)
        values[i] = i;
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    twice<<<1, N>>>(in, out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 2 * N; ++i)
        right = right && results[i] == 2 * (i / N * N + N - 1 - i % N);
    std::puts(right ? "right" : "wrong");
    return !right;
}
