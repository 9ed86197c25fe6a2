// source: facebookexperimental/triton#3472, one rendezvous barrier for three stages of a pair: the follower runs
//     ahead, an extra flip, deadlock
// cause: The odd block announces all stages on one barrier and does not wait for the leader, so the phase that the
//     leader waits for may be two phases back.
// rule: stale-phase-wait
#include "../blackwell.h"

constexpr int count = 3;

// Each block makes its rows of A. The odd one says so to the leader, which issues the products of the pair.
__global__ void __cluster_dims__(2) multiply(float* out) {
    __shared__ alignas(128) uint16_t a[count][rows * depth], b[columns * depth];
    __shared__ uint64_t ready, done;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&ready, 1);
        init(&done, 1);
        fence_init();
    }
    fence_async();
    cluster_sync();
    if (threadIdx.x < 32)
        alloc<2>(&cells, 32);
    __syncthreads();
    const unsigned d = cells;
    for (int t = 0; t < count; ++t) {
        fill(a[t], threadIdx.x, (t + rank() + threadIdx.x) % 16);
        fence_async();
        __syncthreads();
        if (threadIdx.x == 0 && rank() == 1)
            arrive_peer(&ready, 0); // <-- cause
        if (threadIdx.x == 0 && rank() == 0) {
            wait_cluster(&ready, t & 1); // <-- cause
            mma<2>(d, a[t], b, t != 0);
        }
    }
    if (threadIdx.x == 0 && rank() == 0)
        commit_all(&done, 3);
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
    multiply<<<2, rows>>>(out);
    return verdict(out, 2 * rows, [](int i) {
        float all = 0;
        for (int t = 0; t < count; ++t)
            all += of_row(t + i / rows, i % rows);
        return all;
    });
}
