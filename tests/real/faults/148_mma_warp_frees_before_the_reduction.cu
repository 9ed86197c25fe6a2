// source: PaddlePaddle/flash-attention#138, the warp that multiplies frees Tensor Memory while the reducing warps
//     still use it
// cause: The multiplying warp frees the columns as soon as its products are complete, before the reducing warps have
//     loaded them.
// rule: tensor-memory-race
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x % rows, threadIdx.x % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x / 32 == 4)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        wait(&done, 0);
        const Row r = ld(own(d)); // <-- cause
        wait_ld();
        out[threadIdx.x] = sum(r);
    } else {
        if (threadIdx.x == rows) {
            mma(d, a, b);
            commit(&done);
        }
        __syncwarp();
        wait(&done, 0);
        dealloc(d, 32); // <-- cause
    }
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 160>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
