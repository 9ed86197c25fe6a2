// source: TIRx-kernels#19, a slot of Tensor Memory for one stage of input is rewritten without consuming the empty
//     token
// cause: The warps store the next A without waiting for the product that reads the last one from the same columns.
// rule: tensor-memory-before-commit|tensor-memory-race
#include "../blackwell.h"

constexpr int count = 2;

// Four warps make A in Tensor Memory.
__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t b[columns * depth];
    __shared__ uint64_t filled[count], done[count];
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        for (int t = 0; t < count; ++t) {
            init(&filled[t], rows);
            init(&done[t], 1);
        }
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, a = cells + columns;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            const unsigned value = bf16((t + threadIdx.x) % 16);
            st(own(a), value << 16 | value); // <-- cause
            wait_st();
            arrive(&filled[t]);
        }
        wait(&done[count - 1], 0);
        const Row r = ld(own(d));
        wait_ld();
        out[threadIdx.x] = sum(r);
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            wait(&filled[t], 0);
            mma_ts(d, a, b, t != 0); // <-- cause
            commit(&done[t]);
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
