// why: each block of the cluster expects the 16 bytes of a response that one block requests for all; its bytes may
//     come before that
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
        if (threadIdx.x == 0 && rank() == 1)
            try_cancel_all(response, &full);
        if (threadIdx.x == 0) {
            arrive_expect(&full, 16);
            out[tile + rank()] = float(tile + rank() + 1);
        }
        wait_cluster(&full, round & 1);
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
