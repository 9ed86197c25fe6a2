// source: tilelang#2410, the consumers free the slot of a launch-control response before they read it: warps see
//     different answers and the kernel hangs
// cause: A consumer arrives on the empty barrier before it reads the response, so the next request may overwrite it.
// rule: refill-while-read|read-before-completion|missing-proxy-fence
#include "../blackwell.h"

constexpr int count = 8;

// Warp 1 requests, warp 0 works.
__global__ void work(float* out) {
    __shared__ alignas(16) uint8_t response[16];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 33);
        fence_init();
    }
    __syncthreads();
    int tile = blockIdx.x;
    if (threadIdx.x < 32) {
        for (int round = 0;; ++round) {
            if (threadIdx.x == 0)
                out[tile] = float(tile + 1);
            wait(&full, round & 1);
            fence_async();
            arrive(&empty);
            if (!next_tile(response, tile)) // <-- cause
                break;
        }
    } else if (threadIdx.x == 32) {
        for (int round = 0;; ++round) {
            wait(&empty, (round & 1) ^ 1);
            arrive_expect(&full, 16);
            try_cancel(response, &full); // <-- cause
            wait(&full, round & 1);
            const bool more = next_tile(response, tile);
            fence_async();
            arrive(&empty);
            if (!more)
                break;
        }
    }
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 64>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}
