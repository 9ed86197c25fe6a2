// source: facebookexperimental/triton#1992, the store of P aliases the columns of QK, and load and store give the
//     warps different chunks
// cause: A warp stores its chunk of P over columns that the other warp of the same lanes may still have to load.
// rule: tensor-memory-race
#include "../blackwell.h"

// Two warpgroups halve the columns of the scores. What they store is half as wide, and the halves are the other way
// round.
__global__ void softmax(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned group = threadIdx.x / rows, row = threadIdx.x % rows, s = own(cells);
    st(s + group * columns, __float_as_uint(float(row + group)));
    wait_st();
    __syncthreads();
    const Row scores = ld(s + group * columns);
    wait_ld();
    st(s + (1 - group) * columns, __float_as_uint(sum(scores))); // <-- cause
    wait_st();
    __syncthreads();
    const Row p = ld(s + group * columns);
    wait_ld();
    out[threadIdx.x] = p.of[0];
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    softmax<<<1, 2 * rows>>>(out);
    return verdict(out, 2 * rows, [](int i) { return float(columns * (i % rows + 1 - i / rows)); });
}
