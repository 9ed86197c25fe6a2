// source: sglang#39124, an operand stored by threads is read by tcgen05.mma without fence.proxy.async: 86 of 100 runs
//     are wrong on a B300
// cause: The threads store A through the generic proxy and no proxy fence orders their stores before the product,
//     which reads it through the async proxy.
// rule: missing-proxy-fence
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        mma(d, a, b); // <-- cause
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
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return of_row(0, i); });
}
