// source: PTX ISA, tcgen05.commit: it tracks the operations of the executing thread only; a kernel that elects a
//     thread twice may choose another one
// cause: The commit is executed by another thread than the product, so its arrival says nothing about the product.
// rule: tensor-memory-before-commit
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0)
        mma(d, a, b);
    __syncwarp();
    if (threadIdx.x == 31)
        commit(&done);
    wait(&done, 0);
    const Row r = ld(own(d)); // <-- cause
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
