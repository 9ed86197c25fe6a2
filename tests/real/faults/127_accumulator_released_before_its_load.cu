// source: cudnn-frontend#652, an epilogue arrives on the empty barrier of an accumulator before it loads the last of it
// cause: The epilogue releases the accumulator before it loads it, so the next product may overwrite columns that it
//     has not read yet.
// rule: tensor-memory-race|tensor-memory-before-commit
#include "../blackwell.h"

constexpr int count = 4;

__global__ void multiply(const uint16_t* in, float* out) {
    __shared__ alignas(128) uint16_t a[rows * depth], b[columns * depth];
    __shared__ uint64_t loaded, full, empty;
    __shared__ unsigned cells;
    if (threadIdx.x < columns)
        fill(b, threadIdx.x, 1);
    if (threadIdx.x == 0) {
        init(&loaded, 1);
        init(&full, 1);
        init(&empty, rows);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            wait(&full, t & 1);
            arrive(&empty);
            const Row r = ld(own(d)); // <-- cause
            wait_ld();
            out[t * rows + threadIdx.x] = sum(r);
        }
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            arrive_expect(&loaded, tile_bytes);
            load(a, in + t * rows * depth, tile_bytes, &loaded);
            wait(&loaded, t & 1);
            wait(&empty, (t & 1) ^ 1);
            mma(d, a, b); // <-- cause
            commit(&full);
            wait(&full, t & 1);
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
