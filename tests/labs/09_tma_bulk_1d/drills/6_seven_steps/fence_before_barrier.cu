// expect: fence-before-barrier
// Drill 09.6: seven steps
// Load, change and store, tile after tile through one buffer: the whole round of this lab. The seven steps are given as
// functions that every thread calls; those for one thread choose it themselves. Call them in the right order, once
// each.
#include "lab.h"

#include <cuda/ptx>

namespace ptx = cuda::ptx;

constexpr int TILE = 128;

__global__ void __launch_bounds__(TILE) multiply(int* data, int tiles, int factor) {
    __shared__ alignas(16) int tile[TILE];
    __shared__ uint64_t full;
    const int t = threadIdx.x;
    if (t == 0)
        ptx::mbarrier_init(&full, 1);
    __syncthreads();

    unsigned parity = 0;
    int* part = data; // the part of the data that this round is about
    auto change = [&] { tile[t] *= factor; };
    auto fence = [&] { ptx::fence_proxy_async(ptx::space_shared); };
    auto load = [&] {
        if (t == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof tile);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, part, sizeof tile, &full);
        }
    };
    auto store = [&] {
        if (t == 0) {
            ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, part, tile, sizeof tile);
            ptx::cp_async_bulk_commit_group();
        }
    };
    auto synchronise = [&] { __syncthreads(); };
    auto wait_for_load = [&] {
        while (!ptx::mbarrier_try_wait_parity(&full, parity))
            ;
        parity ^= 1;
    };
    auto wait_for_store = [&] {
        if (t == 0)
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
    };

    for (int k = 0; k < tiles; ++k, part += TILE) {
        // TODO(1): the seven calls, in order.
        load();
        wait_for_load();
        fence(); // covers nothing: the tile has not been changed yet
        change();
        synchronise();
        store();
        wait_for_store();
        // END TODO(1)
    }
}

/// `data` is a 16-byte aligned array of 128 * tiles integers.
void launch(int* data, int tiles, int factor, cudaStream_t stream) {
    multiply<<<1, TILE, 0, stream>>>(data, tiles, factor);
}

LAB_ENTRY(launch)
