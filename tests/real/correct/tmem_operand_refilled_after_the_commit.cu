// why: threads store the next A into shared memory after the wait for the commit; the reads of the last product need
//     no proxy fence, only the new stores do
#include "../blackwell.h"

constexpr int count = 3;

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned d = cells;
    for (int t = 0; t < count; ++t) {
        fill(a, threadIdx.x, (t + threadIdx.x) % 16);
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            mma(d, a, b, t != 0);
            commit(&done);
        }
        wait(&done, t & 1);
    }
    const Row r = ld(own(d));
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) {
        float all = 0;
        for (int t = 0; t < count; ++t)
            all += of_row(t, i);
        return all;
    });
}
