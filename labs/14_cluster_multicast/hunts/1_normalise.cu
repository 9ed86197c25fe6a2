// Hunt 14.h1: normalise
// A cluster maps a row of 512 values to the range from 0 to 1. Each block finds the extremes of its quarter and sends
// them to all blocks of the cluster, itself included, with st.async. The first version divided by the maximum alone.
// Since the minimum is sent as well, rows come out wrong now and then.
#include "lab.h"

#include <cooperative_groups.h>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int CLUSTER = 4, THREADS = 128, WARPS = THREADS / 32;

// What a block sends: the extremes of its values.
struct alignas(8) Extremes {
    float least, most;
};

struct Shared {
    Extremes warps[WARPS];
    Extremes blocks[CLUSTER]; // from all blocks of the cluster
    uint64_t received;
};

__device__ Extremes combined(Extremes a, Extremes b) {
    return {fminf(a.least, b.least), fmaxf(a.most, b.most)};
}

__device__ Extremes of_warp(float value) {
    Extremes extremes{value, value};
    for (int distance = 16; distance > 0; distance /= 2)
        extremes = combined(
            extremes, {__shfl_xor_sync(~0u, extremes.least, distance), __shfl_xor_sync(~0u, extremes.most, distance)});
    return extremes;
}

__device__ Extremes of_all(const Extremes* list, int count) {
    Extremes extremes = list[0];
    for (int i = 1; i < count; ++i)
        extremes = combined(extremes, list[i]);
    return extremes;
}

__global__ void __cluster_dims__(CLUSTER) __launch_bounds__(THREADS) normalise(const float* in, float* out) {
    __shared__ Shared shared;
    const auto cluster = cooperative_groups::this_cluster();
    const int rank = cluster.block_rank(), t = threadIdx.x;
    if (t == 0) {
        ptx::mbarrier_init(&shared.received, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &shared.received,
                                       CLUSTER * sizeof(float));
    }
    ptx::barrier_cluster_arrive();
    ptx::barrier_cluster_wait();

    const float value = in[blockIdx.x * THREADS + t];
    const Extremes mine = of_warp(value);
    if (t % 32 == 0)
        shared.warps[t / 32] = mine;
    __syncthreads();

    // Thread r sends to the block of rank r.
    if (t < CLUSTER) {
        const Extremes extremes = of_all(shared.warps, WARPS);
        const float message[] = {extremes.least, extremes.most};
        ptx::st_async(&cluster.map_shared_rank(&shared.blocks[rank], t)->least, message,
                      cluster.map_shared_rank(&shared.received, t));
    }
    while (!ptx::mbarrier_try_wait_parity(&shared.received, 0))
        ;
    const Extremes row = of_all(shared.blocks, CLUSTER);
    out[blockIdx.x * THREADS + t] = (value - row.least) / (row.most - row.least);
}

/// `in` and `out`: `rows` rows of 512 values. The values of a row are not all equal.
cudaError_t launch(const float* in, float* out, int rows, cudaStream_t stream) {
    normalise<<<rows * CLUSTER, THREADS, 0, stream>>>(in, out);
    return cudaGetLastError();
}

LAB_ENTRY(launch)
