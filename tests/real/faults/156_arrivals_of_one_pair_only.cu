// source: triton#10196, the arrival count of a barrier for products under multicast lacks the factor of two blocks
//     (found by ConSan)
// cause: Both blocks commit to the barrier of each, but it counts one arrival, so a wait returns when the other
//     block's products are complete.
// rule: refill-while-read|early-phase|tensor-operand-overwritten
#include "../blackwell.h"

constexpr int count = 4;

// A is multicast to both blocks, so a stage is free when the products of both have read it.
__global__ void __cluster_dims__(2) multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t full, empty, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1 + rank());
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 1); // <-- cause
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    cluster_sync();
    const unsigned d = cells;
    if (threadIdx.x == 0) {
        for (int t = 0; t < count; ++t) {
            wait_cluster(&empty, (t & 1) ^ 1);
            arrive_expect(&full, tile_bytes);
            if (rank() == 0)
                load_all(a, in + t * rows * depth, tile_bytes, &full, 3); // <-- cause
            wait(&full, t & 1);
            mma(d, a, b, t != 0);
            commit_all<1>(&empty, 3);
        }
        commit(&done);
    }
    wait(&done, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[blockIdx.x * rows + threadIdx.x] = sum(r);
    cluster_sync();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(2 * rows));
    multiply<<<2, rows>>>(to_device(tiles(count)), out);
    return verdict(out, 2 * rows, [](int i) {
        float all = 0;
        for (int t = 0; t < count; ++t)
            all += of_row(t, i % rows) * (1 + i / rows);
        return all;
    });
}
