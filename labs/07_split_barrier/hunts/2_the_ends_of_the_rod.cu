// Hunt 07.h2: the ends of the rod.
// Heat flows along a rod whose ends are kept at fixed temperatures. Each step reads one buffer and writes the other,
// and the warmest cell is recorded while the threads wait for each other. Observed: the cells next to one of the ends
// are now and then a little off.
#include "lab.h"

#include <cuda/barrier>
#include <utility>
#pragma nv_diag_suppress static_var_with_dynamic_init // init initialises the barrier

using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int CELLS = 128; // one thread each

// The rod with its two ends: cell i is at [i + 1].
using Rod = int[CELLS + 2];

__device__ int flow(const Rod& rod, int cell) {
    return (rod[cell] + 2 * rod[cell + 1] + rod[cell + 2]) / 4;
}

// The ends of a rod, from the temperatures of this step.
__device__ void set_ends(Rod& rod, int2 ends) {
    if (threadIdx.x == 0) {
        rod[0] = ends.x;
        rod[CELLS + 1] = ends.y;
    }
}

__global__ void __launch_bounds__(CELLS)
    heat(const int* start, const int2* ends, int* result, int* warmest, int steps) {
    __shared__ Rod rods[2];
    __shared__ Barrier bar;
    const int cell = threadIdx.x;
    if (cell == 0)
        init(&bar, CELLS);
    rods[0][cell + 1] = start[cell];
    set_ends(rods[0], ends[0]);
    __syncthreads();

    int peak = start[cell], now = peak;
    for (int step = 0; step < steps; ++step) {
        const Rod& from = rods[step % 2];
        Rod& to = rods[(step + 1) % 2];
        now = flow(from, cell);
        to[cell + 1] = now;
        Barrier::arrival_token token = bar.arrive();
        set_ends(to, ends[step + 1]);
        peak = max(peak, now);      // needs nobody
        bar.wait(std::move(token)); // `to` is complete, and `from` has been read
    }
    result[cell] = now;
    warmest[cell] = peak;
}

/// `start`, `result` and `warmest` have 128 temperatures; `ends` has steps + 1 pairs.
void launch(const int* start, const int2* ends, int* result, int* warmest, int steps, cudaStream_t stream) {
    heat<<<1, CELLS, 0, stream>>>(start, ends, result, warmest, steps);
}

LAB_ENTRY(launch)
