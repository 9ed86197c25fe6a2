// why: a commit of a thread that has issued nothing still arrives, so a loop with zero steps completes the phase
#include "../blackwell.h"

__global__ void multiply(int count, float* out) {
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
    if (threadIdx.x == 0) {
        for (int t = 0; t < count; ++t)
            mma(d, a, b, t != 0);
        commit(&done);
    }
    wait(&done, 0);
    float total = 0;
    if (count > 0) {
        const Row r = ld(own(d));
        wait_ld();
        total = sum(r);
    }
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<1, rows>>>(0, out);
    multiply<<<1, rows>>>(3, out + rows);
    return verdict(out, 2 * rows, [](int i) { return i < rows ? 0 : 3 * of_row(0, i - rows); });
}
