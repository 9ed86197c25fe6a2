// expect: case "the operand A of mma.sync"
// The order of matrices is that of two operands B, one below the other.
// Drill 17.1: which row does a lane pass?
// A warp loads 16 x 16 elements from shared memory with one ldmatrix, as the operand A of mma.sync: register 0 is for
// the top left matrix of 8 x 8, register 1 for the bottom left one, 2 for the top right one and 3 for the bottom right
// one. Give the row and the column at which the 16 bytes begin whose address this lane passes.
#include "lab.h"

// Loads four matrices of eight rows of 16 bytes. Lanes 8 * i to 8 * i + 7 pass the addresses of the rows of matrix i.
__device__ void load_matrices(uint32_t (&r)[4], const void* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__global__ void __launch_bounds__(32) fragments(const uint16_t* in, uint32_t* out) {
    __shared__ alignas(16) uint16_t tile[16][16];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        tile[i / 16][i % 16] = in[i];
    __syncwarp();

    const int row = lane / 16 * 8 + lane % 8, column = lane / 8 % 2 * 8;

    uint32_t a[4];
    load_matrices(a, &tile[row][column]);
    for (int i = 0; i < 4; ++i)
        out[32 * i + lane] = a[i];
}

/// `in`: 16 x 16 elements. `out`: register i of lane l at 32 * i + l.
void launch(const uint16_t* in, uint32_t* out, cudaStream_t stream) {
    fragments<<<1, 32, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
