// why: A is in Tensor Memory: stored by four warps, waited for, and released by their arrivals; no proxy fence is
//     needed for it
#include "../blackwell.h"

constexpr int count = 3;

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t b[columns * depth];
    __shared__ uint64_t filled, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&filled, rows);
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, a = cells + columns;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            if (t > 0)
                wait(&done, (t - 1) & 1);
            const unsigned value = bf16((t + threadIdx.x) % 16);
            st(own(a), value << 16 | value);
            wait_st();
            arrive(&filled);
        }
        wait(&done, (count - 1) & 1);
        const Row r = ld(own(d));
        wait_ld();
        out[threadIdx.x] = sum(r);
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            wait(&filled, t & 1);
            mma_ts(d, a, b, t != 0);
            commit(&done);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 160>>>(out);
    return verdict(out, rows, [](int i) {
        float all = 0;
        for (int t = 0; t < count; ++t)
            all += of_row(t, i);
        return all;
    });
}
