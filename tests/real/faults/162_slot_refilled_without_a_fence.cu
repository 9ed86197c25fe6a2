// source: cudnn-frontend#894, the slot of a launch-control response is refilled without a fence between generic reads
//     and the asynchronous write
// cause: The next response is written by the async proxy, and no proxy fence orders the threads' reads of the last
//     one before it.
// rule: missing-proxy-fence
#include "../blackwell.h"

constexpr int count = 8;

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
            try_cancel(response, &full); // <-- cause
            out[tile] = float(tile + 1);
        }
        wait(&full, round & 1);
        const bool more = next_tile(response, tile);
        __syncthreads();
        if (!more)
            break;
    }
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 32>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}
