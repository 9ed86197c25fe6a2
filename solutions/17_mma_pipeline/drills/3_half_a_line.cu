// Drill 17.3: rows of 64 bytes.
// A tile has 16 rows of 32 elements, which are four chunks of 16 bytes. Two rows fill the 32 banks once. Place the
// chunks so that neither the stores of the warp nor ldmatrix, which reads one chunk of eight rows at a time, has bank
// conflicts.
#include "lab.h"

// Loads four matrices of eight rows of 16 bytes. Lanes 8 * i to 8 * i + 7 pass the addresses of the rows of matrix i.
__device__ void load_matrices(uint32_t (&r)[4], const void* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// Returns where a chunk of a row is, in chunks from the beginning of the tile.
__device__ int place(int row, int chunk) {
    // TODO(1): rows 2 * i and 2 * i + 1 share the banks. Which rows need different permutations?
    return 4 * row + (chunk ^ (row / 2 % 4));
    // END TODO(1)
}

__global__ void __launch_bounds__(32) fragments(const uint4* in, uint32_t* out) {
    __shared__ uint4 tile[16 * 4];
    const int lane = threadIdx.x;
    for (int i = lane; i < 64; i += 32)
        tile[place(i / 4, i % 4)] = in[i];
    __syncwarp();
    for (int step = 0; step < 2; ++step) {
        uint32_t a[4];
        load_matrices(a, &tile[place(lane % 16, 2 * step + lane / 16)]);
        for (int i = 0; i < 4; ++i)
            out[128 * step + 32 * i + lane] = a[i];
    }
}

/// `in`: 16 rows of 32 elements. `out`: register i of lane l in step s at 128 * s + 32 * i + l.
void launch(const uint4* in, uint32_t* out, cudaStream_t stream) {
    fragments<<<1, 32, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
