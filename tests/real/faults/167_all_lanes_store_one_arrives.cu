// source: cudnn-frontend#426, all lanes store to shared memory and one lane arrives for them
// cause: One lane arrives for its warp although nothing orders the other lanes' stores of A before that arrival.
// rule: missing-proxy-fence|fence-without-barrier|read-after-write-race
#include "../blackwell.h"

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t filled, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&filled, rows / 32);
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        fill(a, threadIdx.x, threadIdx.x % 16);
        fence_async();
        if (threadIdx.x % 32 == 0)
            arrive(&filled);
        wait(&done, 0);
        const Row r = ld(own(d));
        wait_ld();
        out[threadIdx.x] = sum(r);
    } else if (threadIdx.x == rows) {
        wait(&filled, 0);
        mma(d, a, b); // <-- cause
        commit(&done);
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
