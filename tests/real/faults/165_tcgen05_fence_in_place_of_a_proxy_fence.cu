// source: tlopex/assignment-tirx-gemm (synchronisation rules), block barrier and tcgen05.fence::after_thread_sync
//     between threads' stores to shared memory and tcgen05.mma
// cause: tcgen05.fence::after_thread_sync orders tcgen05 operations, but no proxy fence orders the generic stores of
//     A before the product reads it.
// rule: missing-proxy-fence
#include "../blackwell.h"

constexpr int count = 3;

__global__ void multiply(const int* in, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    for (int t = 0; t < count; ++t) {
        fill(a, threadIdx.x, in[t * rows + threadIdx.x]);
        __syncthreads();
        if (threadIdx.x == 0) {
            fence_after();
            mma(d, a, b, t != 0); // <-- cause
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
    multiply<<<1, rows>>>(to_device(std::vector<int>(count * rows, 2)), out);
    return verdict(out, rows, [](int) { return float(count * 2 * depth * columns); });
}
