// cooperative_groups::wait_prior, cuda::pipeline_consumer_wait_prior, and a pipeline whose copies complete at a
// barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int N = 64;

__global__ void three_ways(const int* in, int* out) {
    __shared__ alignas(16) int tile[2][N];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    const cg::thread_block block = cg::this_thread_block();
    const int t = threadIdx.x;
    if (t == 0)
        init(&bar, N);
    __syncthreads();

    cg::memcpy_async(block, tile[0], in, sizeof tile[0]); // each call is a group of its own
    cg::memcpy_async(block, tile[1], in + N, sizeof tile[1]);
    cg::wait_prior<1>(block); // the older one
    out[t] = tile[0][N - 1 - t];
    cg::wait(block);
    out[N + t] = tile[1][N - 1 - t];
    block.sync();

    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    for (int s = 0; s < 2; ++s) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[s][t], in + s * N + t, cuda::aligned_size_t<4>(4), pipe);
        pipe.producer_commit();
    }
    cuda::pipeline_consumer_wait_prior<1>(pipe); // the older stage, this thread's part
    out[2 * N + t] = tile[0][t];
    pipe.consumer_release();
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    out[3 * N + t] = tile[1][t];
    pipe.consumer_release();
    block.sync();

    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][t], in + t, cuda::aligned_size_t<4>(4), pipe);
    cuda::pipeline_producer_commit(pipe, bar); // completes at the barrier instead: others may read
    bar.arrive_and_wait();
    out[4 * N + t] = tile[0][N - 1 - t];
}

int main() {
    int *in, *out, values[2 * N], results[5 * N];
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&out, sizeof results);
    for (int i = 0; i < 2 * N; ++i)
        values[i] = 3 * i;
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    three_ways<<<1, N>>>(in, out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < N; ++i)
        right = right && results[i] == values[N - 1 - i] && results[N + i] == values[2 * N - 1 - i] &&
                results[2 * N + i] == values[i] && results[3 * N + i] == values[N + i] &&
                results[4 * N + i] == values[N - 1 - i];
    std::puts(right ? "right" : "wrong");
    return !right;
}
