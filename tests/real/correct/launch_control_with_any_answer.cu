// why: a persistent kernel that works whether no, some or all other blocks are cancelled; each reader fences before
//     the barrier that allows the next request
#include "../blackwell.h"

constexpr int count = 9;

__global__ void work(float* out) {
    __shared__ alignas(16) uint8_t response[16];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        fence_init();
    }
    __syncthreads();
    int tile = blockIdx.x;
    for (int round = 0;; ++round) {
        if (threadIdx.x == 0) {
            arrive_expect(&full, 16);
            try_cancel(response, &full);
            out[tile] = float(tile + 1);
        }
        wait(&full, round & 1);
        const bool more = next_tile(response, tile);
        fence_async();
        __syncthreads();
        if (!more)
            break;
    }
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 64>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}
