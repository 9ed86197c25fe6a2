// source: flash-attention#2033, LSE is passed on before the stores to Tensor Memory have been waited for
// cause: The warps arrive on the full barrier without tcgen05.wait::st, so the other warps may load the cells before
//     the stores have reached them.
// rule: tensor-memory-not-waited
#include "../blackwell.h"

// Warps 0-3 pass a value of each row to warps 4-7 through Tensor Memory.
__global__ void pass(float* out) {
    __shared__ uint64_t full;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&full, rows);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    __syncthreads();
    const unsigned d = own(cells);
    if (threadIdx.x < rows) {
        st(d, __float_as_uint(float(threadIdx.x)));
        arrive(&full);
    } else {
        wait(&full, 0);
        const Row r = ld(d); // <-- cause
        wait_ld();
        out[threadIdx.x - rows] = sum(r);
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    pass<<<1, 2 * rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * i); });
}
