// why: with M = 64 the product writes 16 of each 32 lanes; 32x32b loads the others, too, and nobody uses them
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows / 2 * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x < rows / 2)
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
    if (threadIdx.x == 0) {
        mma<1, rows / 2>(d, a, b);
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x / 32 * 16 + threadIdx.x % 32] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows / 2));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows / 2, [](int i) { return of_row(0, i); });
}
