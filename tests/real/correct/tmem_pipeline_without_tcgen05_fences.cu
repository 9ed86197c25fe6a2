// why: no tcgen05.fence anywhere: the waits acquire and the arrivals release (cutlass#2974); two accumulators, so
//     that the epilogue of one tile runs beside the product of the next
#include "../blackwell.h"

constexpr int count = 5, stages = 2;

__global__ void multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[stages][rows * depth], b[columns * depth];
    __shared__ uint64_t loaded[stages], used[stages], full[stages], empty[stages];
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            init(&loaded[s], 1);
            init(&used[s], 1);
            init(&full[s], 1);
            init(&empty[s], rows / 32);
        }
        fence_init();
    }
    if (threadIdx.x / 32 == 4)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            const int s = t % stages;
            wait(&full[s], t / stages & 1);
            const Row r = ld(own(d + s * columns));
            wait_ld();
            __syncwarp();
            if (threadIdx.x % 32 == 0)
                arrive(&empty[s]);
            out[t * rows + threadIdx.x] = sum(r);
        }
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            const int s = t % stages;
            wait(&loaded[s], t / stages & 1);
            wait(&empty[s], (t / stages & 1) ^ 1);
            mma(d + s * columns, a[s], b);
            commit(&used[s]);
            commit(&full[s]);
        }
    } else if (threadIdx.x == rows + 32) {
        for (int t = 0; t < count; ++t) {
            const int s = t % stages;
            wait(&used[s], (t / stages & 1) ^ 1);
            arrive_expect(&loaded[s], tile_bytes);
            load(a[s], in + t * rows * depth, tile_bytes, &loaded[s]);
        }
    }
    __syncthreads();
    if (threadIdx.x / 32 == 4)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(count * rows));
    multiply<<<1, 192>>>(to_device(tiles(count)), out);
    return verdict(out, count * rows, [](int i) { return of_row(i / rows, i % rows); });
}
