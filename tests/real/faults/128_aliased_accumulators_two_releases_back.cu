// source: cudnn-frontend#396, two accumulators of a backward pass alias in Tensor Memory and the producer acquires a
//     release two generations back
// cause: Both stages use the same columns, but the producer waits for the release of its own stage only, so the
//     product overwrites the other stage's unread result.
// rule: tensor-memory-race|tensor-memory-before-commit
#include "../blackwell.h"

constexpr int count = 4, stages = 2;

__global__ void multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[stages][rows * depth], b[columns * depth];
    __shared__ uint64_t loaded[stages], full[stages], empty[stages];
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&loaded[s], 1);
            init(&full[s], 1);
            init(&empty[s], rows);
        }
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            const int s = t % stages;
            wait(&full[s], t / stages & 1);
            const Row r = ld(own(d)); // <-- cause
            wait_ld();
            arrive(&empty[s]);
            out[t * rows + threadIdx.x] = sum(r);
        }
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            const int s = t % stages;
            wait(&empty[s], (t / stages & 1) ^ 1);
            arrive_expect(&loaded[s], tile_bytes);
            load(a[s], in + t * rows * depth, tile_bytes, &loaded[s]);
            wait(&loaded[s], t / stages & 1);
            mma(d, a[s], b); // <-- cause
            commit(&full[s]);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(count * rows));
    multiply<<<1, 160>>>(to_device(tiles(count)), out);
    return verdict(out, count * rows, [](int i) { return of_row(i / rows, i % rows); });
}
