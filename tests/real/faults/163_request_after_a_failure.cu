// source: marin-community/marin#8870, try_cancel is issued again after a failure has been observed
// cause: The scheduler asks one request ahead, so it issues another one although it has already seen a request fail.
// rule: cluster-launch-control
#include "../blackwell.h"

constexpr int count = 8;

// Two requests are under way at a time.
__global__ void work(float* out) {
    __shared__ alignas(16) uint8_t response[2][16];
    __shared__ uint64_t full[2];
    if (threadIdx.x == 0) {
        init(&full[0], 1);
        init(&full[1], 1);
        fence_init();
        arrive_expect(&full[0], 16);
        try_cancel(response[0], &full[0]);
    }
    __syncthreads();
    int tile = blockIdx.x;
    bool more = true;
    for (int round = 0; round < count + 2; ++round) {
        const int s = round % 2;
        if (threadIdx.x == 0) {
            arrive_expect(&full[1 - s], 16);
            try_cancel(response[1 - s], &full[1 - s]); // <-- cause
            if (more)
                out[tile] = float(tile + 1);
        }
        wait(&full[s], round / 2 & 1);
        more = next_tile(response[s], tile);
        fence_async();
        __syncthreads();
    }
    wait(&full[0], (count + 2) / 2 & 1);
}

int main() {
    float* out = to_device(std::vector<float>(count));
    work<<<count, 32>>>(out);
    return verdict(out, count, [](int i) { return float(i + 1); });
}
