// source: cutlass#2230, tutorials for Blackwell used Tensor Memory from column 0 on without tcgen05.alloc, so blocks
//     on one SM collide
// cause: The block uses columns that it has not allocated, which may belong to another block of the same SM.
// rule: tensor-memory-misused
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, (blockIdx.x + threadIdx.x) % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        cells = 0;
        init(&done, 1);
        fence_init();
    }
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        mma(d, a, b); // <-- cause
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    __syncthreads();
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
