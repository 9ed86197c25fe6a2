// source: TIRx-kernels#27, a flash-attention kernel whose correction warpgroup loads from Tensor Memory after
//     warpgroup 0 has freed it
// cause: Warpgroup 0 frees the columns after a barrier of its own, while the correction warpgroup may still load from
//     them.
// rule: tensor-memory-race|tensor-memory-misused
#include "../blackwell.h"

// Warpgroup 0 stores, warpgroup 1 corrects.
__global__ void correct(float* out) {
    __shared__ uint64_t full;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&full, rows);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 64);
    __syncthreads();
    const unsigned d = own(cells);
    if (threadIdx.x < rows) {
        st(d, __float_as_uint(float(threadIdx.x)));
        wait_st();
        arrive(&full);
        bar_sync(1, rows);
        if (threadIdx.x < 32)
            dealloc(cells, 64); // <-- cause
    } else {
        wait(&full, 0);
        const Row r = ld(d); // <-- cause
        wait_ld();
        out[threadIdx.x - rows] = sum(r);
    }
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    correct<<<1, 2 * rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * i); });
}
