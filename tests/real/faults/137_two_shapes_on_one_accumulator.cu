// source: triton#10858, two products in a row share an accumulator and are pipelined as if they were independent
// cause: The second product has another shape than the first one, so the two form no pipeline although they write the
//     same columns.
// rule: tensor-memory-race
#include "../blackwell.h"

// A wide product over the columns of a narrow one that nobody wants any more.
__global__ void multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[2 * columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, threadIdx.x % 16);
    if (threadIdx.x < 2 * columns)
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
        mma<1, rows, 2 * columns>(d, a, b); // <-- cause
        commit(&done);
    }
    wait(&done, 0);
    const Row low = ld(own(d)), high = ld(own(d + columns));
    wait_ld();
    out[threadIdx.x] = sum(low) + sum(high);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return 2 * of_row(0, i); });
}
