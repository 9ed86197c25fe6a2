// source: facebookexperimental/triton#908, only block 0 expects the 16 bytes of a multicast try_cancel, and the other
//     blocks hang
// cause: The response is written to both blocks, but only the first one expects its bytes, so the other block's phase
//     never completes.
// rule: deadlock|early-phase|phase-without-wait
#include "../blackwell.h"

constexpr int count = 8;

__global__ void __cluster_dims__(2) work(float* out) {
    __shared__ alignas(16) uint8_t response[16];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    cluster_sync();
    int tile = blockIdx.x - rank();
    for (int round = 0;; ++round) {
        if (threadIdx.x == 0 && rank() == 0) {
            arrive_expect(&full, 16);
            try_cancel_all(response, &full);
        }
        if (threadIdx.x == 0)
            out[tile + rank()] = float(tile + rank() + 1);
        wait_cluster(&full, round & 1); // <-- cause
        const bool more = next_tile(response, tile);
        fence_async();
        cluster_sync();
        if (!more)
            break;
    }
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 32>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}
