// source: facebookexperimental/triton#1707, no cluster barrier before Tensor Memory is freed under warp
//     specialisation
// cause: The blocks of the pair free the columns after barriers of their own, while the product of the pair may still
//     be writing them in the other block.
// rule: tensor-memory-before-commit|tensor-memory-race
#include "../blackwell.h"

// The product of the pair is for the even block; the odd one only holds its half of the operands.
__global__ void __cluster_dims__(2) multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, (rank() + threadIdx.x) % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    fence_async();
    cluster_sync();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32);
    __syncthreads();
    cluster_sync();
    const unsigned d = cells;
    if (rank() == 0) {
        if (threadIdx.x == 0) {
            mma<2>(d, a, b);
            commit<2>(&done);
        }
        wait(&done, 0);
        const Row r = ld(own(d)), rest = ld(own(d + columns));
        wait_ld();
        out[threadIdx.x] = (sum(r) + sum(rest)) / 2;
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32); // <-- cause
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<2, rows>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
