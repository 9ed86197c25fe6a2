// source: cutlass#3316, tutorials 04 and 05 allocate Tensor Memory for a pair although the other block may not have
//     started
// cause: Nothing shows that the other block of the pair runs when this one begins the allocation of both.
// rule: tensor-memory-misused
#include "../blackwell.h"

__global__ void __cluster_dims__(2) multiply(float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    fill(a, threadIdx.x, (rank() + threadIdx.x) % 16);
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    fence_async();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32); // <-- cause
    cluster_sync();
    const unsigned d = cells;
    if (rank() == 0 && threadIdx.x == 0) {
        mma<2>(d, a, b);
        commit_all(&done, 3);
    }
    wait_cluster(&done, 0);
    const Row r = ld(own(d)), rest = ld(own(d + columns));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = (sum(r) + sum(rest)) / 2;
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
