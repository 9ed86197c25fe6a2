// why: no block barrier at the end: the warp that frees waits on an mbarrier for the arrivals of the warps that have
//     loaded
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ uint64_t finished;
    __shared__ unsigned cells;
    fill(a, threadIdx.x % rows, threadIdx.x % rows % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        init(&finished, rows);
        fence_init();
    }
    if (threadIdx.x / 32 == 4)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        wait(&done, 0);
        const Row r = ld(own(d));
        wait_ld();
        arrive(&finished);
        out[threadIdx.x] = sum(r);
    } else {
        if (threadIdx.x == rows) {
            mma(d, a, b);
            commit(&done);
        }
        __syncwarp();
        wait(&finished, 0);
        dealloc(d, 32);
    }
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, 160>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
