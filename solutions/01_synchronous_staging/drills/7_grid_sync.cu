// Drill 01.7: a barrier for the whole grid
// One launch does what would otherwise take two: each block sums up its part of the array, and then each block needs
// the sums of all parts. `__syncthreads()` waits for one block only. Let all blocks meet, and launch the kernel in such
// a way that they can: all of them must be on the device at once. You need:
//     cooperative_groups::this_grid().sync()     all threads of the grid meet, and see what the others wrote before
//     cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
//                                 cudaStream_t stream)     `arguments`: a pointer to each argument of the kernel
#include "lab.h"

#include <cooperative_groups.h>

constexpr int BLOCKS = 6, THREADS = 128;

__global__ void __launch_bounds__(THREADS) share_of_total(const unsigned* in, unsigned* sums, unsigned* out) {
    __shared__ unsigned part[THREADS];
    const int t = threadIdx.x, i = blockIdx.x * THREADS + t;
    part[t] = in[i];
    for (int distance = THREADS / 2; distance > 0; distance /= 2) {
        __syncthreads();
        if (t < distance)
            part[t] += part[t + distance];
    }
    if (t == 0)
        sums[blockIdx.x] = part[0];

    // TODO(1): from here on, the sums of all blocks are needed.
    cooperative_groups::this_grid().sync();
    // END TODO(1)

    unsigned total = 0;
    for (int block = 0; block < BLOCKS; ++block)
        total += sums[block];
    out[i] = total - in[i];
}

/// `in` and `out`: BLOCKS * THREADS numbers. `sums`: BLOCKS numbers. All in device memory.
cudaError_t launch(const unsigned* in, unsigned* sums, unsigned* out, cudaStream_t stream) {
    [[maybe_unused]] void* arguments[] = {&in, &sums, &out};
    // TODO(2): launch the kernel so that all blocks are on the device at once.
    return cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(share_of_total), BLOCKS, THREADS, arguments, 0,
                                       stream);
    // END TODO(2)
}

LAB_ENTRY(launch)
