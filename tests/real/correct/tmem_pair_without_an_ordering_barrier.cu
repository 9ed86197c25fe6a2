// why: the arrival at the barrier of the cluster is relaxed, which is enough to know that the peer runs, and the pair
//     frees its columns after an mbarrier in place of a second barrier of the cluster
#include "../blackwell.h"

__global__ void __cluster_dims__(2) multiply(const uint16_t* in, const uint16_t* ones, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t full, done, last;
    __shared__ unsigned cells;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&done, 1);
        init(&last, rows);
        fence_init();
    }
    __syncwarp();
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    if (threadIdx.x < 32) {
        alloc<2>(&cells, 32);
        relinquish<2>();
    }
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        if (rank() == 0)
            arrive_expect(&full, 2 * (tile_bytes + sizeof b));
        load_signalling(a, in + blockIdx.x * rows * depth, tile_bytes, peer(&full, 0));
        load_signalling(b, ones, sizeof b, peer(&full, 0));
        if (rank() == 0) {
            wait_cluster(&full, 0);
            mma<2>(d, a, b);
            commit_all(&done, 3);
        }
    }
    wait_cluster(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    arrive_peer(&last, rank() ^ 1);
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    wait_cluster(&last, 0);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(to_device(tiles(2)), to_device(std::vector<uint16_t>(columns * depth, bf16(1))), out);
    return verdict(out, 2 * rows, [](int i) { return of_row(i / rows, i % rows); });
}
