// expect: case "the operands of B"
// Each matrix is transposed, but the second and the third one are exchanged.
// Drill 17.4: an operand that has to be transposed.
// mma.sync wants two neighbouring elements of a row of B along k in one register. Here the matrix has 16 rows of n, so
// neighbours along k are in different rows. ldmatrix can transpose each of its four matrices on the way. Load the
// operands for columns 0 to 7 of the product into b[0] (k from 0 to 7) and b[1] (k from 8 to 15), and those for columns
// 8 to 15 into b[2] and b[3].
#include "lab.h"

// Loads four matrices of eight rows of 16 bytes. Lanes 8 * i to 8 * i + 7 pass the addresses of the rows of matrix i.
__device__ void load_matrices(uint32_t (&r)[4], const void* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

// The same, but each matrix is transposed: a lane gets two neighbours of one column.
__device__ void load_transposed(uint32_t (&r)[4], const void* row) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

__global__ void __launch_bounds__(32) fragments(const uint16_t* in, uint32_t* out) {
    __shared__ alignas(16) uint16_t tile[16][16]; // row k, column n
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32)
        tile[i / 16][i % 16] = in[i];
    __syncwarp();

    uint32_t b[4];
    load_transposed(b, &tile[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 4; ++i)
        out[32 * i + lane] = b[i];
}

/// `in`: 16 rows (k) of 16 elements (n). `out`: register i of lane l at 32 * i + l.
void launch(const uint16_t* in, uint32_t* out, cudaStream_t stream) {
    fragments<<<1, 32, 0, stream>>>(in, out);
}

LAB_ENTRY(launch)
