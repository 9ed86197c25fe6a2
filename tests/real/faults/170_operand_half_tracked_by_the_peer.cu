// source: cutlass#3643, the leader of a pair multiplies with the peer's half of the operand, whose arrival only the
//     peer's own barrier tracks
// cause: The leader waits for its own copy only, and the other block's copy completes on that block's barrier, for
//     which nobody has waited before the product.
// rule: missing-wait|read-before-completion
#include "../blackwell.h"

__global__ void __cluster_dims__(2) multiply(const uint16_t* in, float* out) {
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
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        arrive_expect(&full, tile_bytes);
        load(a, in + blockIdx.x * rows * depth, tile_bytes, &full);
        if (rank() == 0) {
            wait(&full, 0);
            mma<2>(d, a, b); // <-- cause
            commit_all(&done, 3);
        }
    }
    wait_cluster(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    wait(&full, 0);
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(to_device(tiles(2)), out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
