// source: tilelang#2644, the bytes that a copy of .cta_group::2 is expected to bring are multiplied by the size of
//     the cluster (4) instead of 2
// cause: The leader expects the bytes of four blocks, but only the two of its pair signal its barrier, so the phase
//     never completes.
// rule: deadlock
#include "../blackwell.h"

// Two pairs in a cluster of four blocks. The copies of a pair signal the barrier of its even block.
__global__ void __cluster_dims__(4) multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t full, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&done, 1);
        fence_init();
    }
    fence_async();
    cluster_sync();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32);
    __syncthreads();
    const unsigned d = cells, leader = rank() & ~1u;
    if (threadIdx.x == 0) {
        if (rank() == leader)
            arrive_expect(&full, 4 * tile_bytes); // <-- cause
        load_signalling(a, in + blockIdx.x * rows * depth, tile_bytes, peer(&full, leader));
        if (rank() == leader) {
            wait_cluster(&full, 0);
            mma<2>(d, a, b);
            commit_all(&done, 3 << leader);
        }
    }
    wait_cluster(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(4 * rows));
    multiply<<<4, rows>>>(to_device(tiles(4)), out);
    return verdict(out, 4 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
