// expect: read-after-write-race
// The fence of the writer covers its block only.
// Drill 01.5: the scope of a fence
// Each block stores its part of a sum and then counts itself. The block that counts last adds up all parts. The counter
// says that the other blocks have counted, but only fences make sure that their parts are visible. As it is, the fences
// cover the threads of one block. Choose the fence with the right scope:
//     __threadfence_block()      for the threads of this block
//     __threadfence()            for all threads of this device
#include "lab.h"

__global__ void __launch_bounds__(32) sum(const int* in, int* parts, unsigned* counted, int* total) {
    const int part = __reduce_add_sync(~0u, in[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x != 0)
        return;
    parts[blockIdx.x] = part;
    // TODO(1): order the store above before the atomic operation below, for every thread that may read it.
    __threadfence_block();
    // END TODO(1)
    const bool last = atomicAdd(counted, 1u) == gridDim.x - 1;
    // TODO(2): order the atomic operation above before the loads below.
    __threadfence();
    // END TODO(2)
    if (!last)
        return;
    int all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
        all += parts[b];
    *total = all;
}

/// `in`: blocks · 32 integers. `parts`: one for each block. `counted`: 0. `total`: one. All in device memory.
void launch(const int* in, int* parts, unsigned* counted, int* total, int blocks, cudaStream_t stream) {
    sum<<<blocks, 32, 0, stream>>>(in, parts, counted, total);
}

LAB_ENTRY(launch)
