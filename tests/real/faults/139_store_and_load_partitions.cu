// source: triton#10043, the partition that stores a buffer in Tensor Memory and the one that loads it are not
//     synchronised
// cause: Nothing orders the loads of one warpgroup after the stores of the other one.
// rule: tensor-memory-race
#include "../blackwell.h"

__global__ void pass(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned d = own(cells);
    if (threadIdx.x < rows) {
        st(d, __float_as_uint(float(threadIdx.x))); // <-- cause
        wait_st();
    } else {
        const Row r = ld(d); // <-- cause
        wait_ld();
        out[threadIdx.x - rows] = sum(r);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    pass<<<1, 2 * rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * i); });
}
