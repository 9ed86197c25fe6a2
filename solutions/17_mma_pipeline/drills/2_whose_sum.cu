// Drill 17.2: where do the sums belong?
// A warp multiplies 16 x 16 elements of A by 16 x 8 of B with one mma.sync. Each lane then has four of the 16 x 8 sums:
// d[0] and d[1] are neighbours in a row, d[2] and d[3] are eight rows below. Store them to their places.
#include "lab.h"

// d += 16 x 16 elements of A times 16 x 8 of B.
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Returns two neighbouring elements of a row, the first one in the lower half.
__device__ uint32_t pair(const uint16_t* row, int column) {
    return row[column] | uint32_t(row[column + 1]) << 16;
}

__global__ void __launch_bounds__(32) multiply(const uint16_t* a, const uint16_t* b, float* out) {
    const int lane = threadIdx.x, row = lane / 4, column = lane % 4 * 2;
    const uint16_t *above = a + 16 * row, *below = above + 16 * 8, *other = b + 16 * row;
    const uint32_t fragment[4] = {pair(above, column), pair(below, column), pair(above, column + 8),
                                  pair(below, column + 8)};
    float d[4] = {};
    mma(d, fragment, pair(other, column), pair(other, column + 8));

    for (int e = 0; e < 4; ++e) {
        // TODO(1): in which row and column of the product is d[e]?
        out[8 * (row + e / 2 * 8) + column + e % 2] = d[e];
        // END TODO(1)
    }
}

/// `a`: 16 rows of 16 elements. `b`: 8 rows of 16. `out`: the product of `a` and the transpose of `b`, 16 rows of 8.
void launch(const uint16_t* a, const uint16_t* b, float* out, cudaStream_t stream) {
    multiply<<<1, 32, 0, stream>>>(a, b, out);
}

LAB_ENTRY(launch)
