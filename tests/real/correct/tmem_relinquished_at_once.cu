// why: the permit to allocate is given up right after the only allocation, long before the columns are freed
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x % rows, threadIdx.x % rows % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32) {
        alloc(&cells, 32);
        relinquish();
    }
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        mma(d, a, b);
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 128>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
