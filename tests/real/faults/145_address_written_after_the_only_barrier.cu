// source: TIRx-kernels#7, the weak store of tcgen05.alloc comes after the only release and acquire of the cluster, so
//     the epilogue reads the address unordered
// cause: The only barrier comes before tcgen05.alloc, so nothing orders the other warps' read of the address after
//     its store.
// rule: read-after-write-race|uninitialised-read
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    fence_async();
    __syncthreads();
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    const unsigned d = cells; // <-- cause
    if (threadIdx.x == 0) {
        mma(d, a, b);
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
