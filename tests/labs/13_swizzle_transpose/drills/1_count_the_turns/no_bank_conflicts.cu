// expect: case "no bank conflicts"
// Each pair of rows is permuted alike, so two units of a column share their banks.
// Drill 13.1: count the turns
// 64 threads transpose 8 x 8 units of 16 bytes through shared memory: they write rows and read columns. Without a
// permutation, the eight units of a column are in the same four banks, so a column takes eight turns. Permute the units
// within each row, so that both rows and columns cover all banks. No copy unit is involved yet: any permutation will
// do, as long as writing and reading agree.
#include "lab.h"

constexpr int EDGE = 8, THREADS = EDGE * EDGE;

// Returns where the unit in that row and column is.
__device__ int place(int row, int column) {
    // TODO(1): an XOR is enough.
    return EDGE * row + (column ^ row / 2);
    // END TODO(1)
}

__global__ void __launch_bounds__(THREADS) transpose(const uint4* in, uint4* out) {
    __shared__ alignas(128) uint4 tile[EDGE * EDGE];
    const int row = threadIdx.x / EDGE, column = threadIdx.x % EDGE;
    tile[place(row, column)] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[place(column, row)];
}

/// `in` and `out`: 8 x 8 units of 16 bytes.
void launch(const uint4* in, uint4* out, cudaStream_t stream) {
    transpose<<<1, THREADS, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
