// why: the epilogues of both blocks release the accumulator on the leader's barrier, and only the leader waits for it
//     (asked about in DeepGEMM#368)
#include "../blackwell.h"

constexpr int count = 3;

__global__ void __cluster_dims__(2) multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t full, used, done, empty;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&used, 1);
        init(&done, 1);
        init(&empty, 2 * rows);
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
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            wait_cluster(&done, t & 1);
            const Row r = ld(own(d));
            wait_ld();
            arrive_peer(&empty, 0);
            out[(2 * t + blockIdx.x) * rows + threadIdx.x] = sum(r);
        }
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            if (rank() == 0)
                arrive_expect(&full, 2 * tile_bytes);
            if (t > 0)
                wait_cluster(&used, (t - 1) & 1);
            load_signalling(a, in + (2 * t + blockIdx.x) * rows * depth, tile_bytes, peer(&full, 0));
            if (rank() == 0) {
                wait_cluster(&full, t & 1);
                wait_cluster(&empty, (t & 1) ^ 1);
                mma<2>(d, a, b);
                commit_all(&used, 3);
                commit_all(&done, 3);
            }
        }
        wait_cluster(&used, (count - 1) & 1);
    }
    __syncwarp();
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc<2>(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * count * rows));
    multiply<<<2, 160>>>(to_device(tiles(2 * count)), out);
    return verdict(out, 2 * count * rows, [](int i) { return of_row(i / rows, i % rows); });
}
