// source: Fuser#4016, a compiler check that warp i touches lanes of quarter i % 4 only
// cause: The epilogue begins with the second warp of the block and counts from there, so its warps name the lanes of
//     other warps.
// rule: tensor-memory-misused
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
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        mma(d, a, b);
        commit(&done);
    }
    wait(&done, 0);
    if (threadIdx.x >= 32) {
        const unsigned row = threadIdx.x - 32;
        const Row r = ld(d + (row / 32 << 21)); // <-- cause
        wait_ld();
        out[row] = sum(r);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 160>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
