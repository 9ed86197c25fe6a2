// source: jax#40279, the multicast mask of a collective commit is computed for clusters of (2, 1, 1) only
// cause: The commit arrives in blocks 0 and 1 whatever the pair's ranks are, so the second pair waits for arrivals
//     that the first one gets.
// rule: deadlock|tensor-memory-before-commit
#include "../blackwell.h"

// Two pairs in a cluster of four blocks.
__global__ void __cluster_dims__(4) multiply(float* out) {
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
    cluster_sync();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32);
    __syncthreads();
    const unsigned d = cells;
    if (rank() % 2 == 0 && threadIdx.x == 0) {
        mma<2>(d, a, b);
        commit_all(&done, 3); // <-- cause
    }
    wait_cluster(&done, 0); // <-- cause
    const Row r = ld(own(d));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(4 * rows));
    multiply<<<4, rows>>>(out);
    return verdict(out, 4 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
