// source: cudnn-frontend#894, the slot of a launch-control response is released by a relaxed arrival
// cause: The readers' arrivals are relaxed, so nothing orders their reads of the response before the next request,
//     which overwrites it.
// rule: refill-while-read|missing-proxy-fence
#include "../blackwell.h"

constexpr int count = 8;

// Warp 1 requests, warp 0 works.
__global__ void work(float* out) {
    __shared__ alignas(16) uint8_t response[16];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 32);
        fence_init();
    }
    __syncthreads();
    int tile = blockIdx.x;
    if (threadIdx.x < 32) {
        for (int round = 0;; ++round) {
            if (threadIdx.x == 0)
                out[tile] = float(tile + 1);
            wait(&full, round & 1);
            const bool more = next_tile(response, tile);
            fence_async();
            arrive_relaxed(&empty);
            if (!more)
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
