// A barrier in two halves: work that needs no other thread fits between arrive and wait.
#include <cuda/barrier>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int threads = 64;

__global__ void pairs(const float* in, float* out, int tiles) {
    __shared__ float tile[2][threads];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    const int t = threadIdx.x;
    if (t == 0)
        init(&barrier, COUNT);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
        const float own = in[k * threads + t];
#if ARRIVE == early
        auto token = barrier.arrive();
#endif
        tile[k % 2][t] = own;
#if ARRIVE == late
        auto token = barrier.arrive();
#endif
        float power = own;
        for (int i = 0; i < 3; ++i)
            power *= 2;
#if WAIT == yes
        barrier.wait(cuda::std::move(token));
#endif
        out[k * threads + t] = power + tile[k % 2][threads - 1 - t];
    }
}
