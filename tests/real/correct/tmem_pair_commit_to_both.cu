// why: the leader's commit is multicast to both blocks, the copies of both signal the leader's barrier, and the other
//     block never waits for its own copy
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
    if (threadIdx.x < 32) {
        alloc<2>(&cells, 32);
        relinquish<2>();
    }
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        if (rank() == 0)
            arrive_expect(&full, 2 * tile_bytes);
        load_signalling(a, in + blockIdx.x * rows * depth, tile_bytes, peer(&full, 0));
        if (rank() == 0) {
            wait_cluster(&full, 0);
            mma<2>(d, a, b);
            commit_all(&done, 3);
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
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(to_device(tiles(2)), out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
