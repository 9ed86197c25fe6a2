// source: TIRx-kernels#7, the columns of SFQ are overwritten for the next query block before the committed products
//     of the last one are done
// cause: The copying thread waits for its shared memory only, so it overwrites the scale factors that the multiplying
//     thread's last product may still read.
// rule: tensor-memory-before-commit
#include "../blackwell.h"

constexpr int count = 3;
constexpr unsigned scale_bytes = 32 * 16;

// One thread copies the scale factors of each block to Tensor Memory, another one multiplies.
__global__ void multiply(const uint8_t* scales, float* out) {
    __shared__ alignas(128) uint8_t a[tile_bytes], b[columns * 32], s[scale_bytes], ones[scale_bytes];
    __shared__ uint64_t loaded, copied, used, full, empty;
    __shared__ unsigned cells;
    for (unsigned i = threadIdx.x; i < tile_bytes; i += blockDim.x)
        a[i] = 0x38; // 1.0 of e4m3
    for (unsigned i = threadIdx.x; i < columns * 32; i += blockDim.x)
        b[i] = 0x38;
    for (unsigned i = threadIdx.x; i < scale_bytes; i += blockDim.x)
        ones[i] = 127; // 1.0 of ue8m0
    if (threadIdx.x == 0) {
        init(&loaded, 1);
        init(&copied, 1);
        init(&used, 1);
        init(&full, 1);
        init(&empty, rows);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, scales_a = cells + 16, scales_b = cells + 24;
    if (threadIdx.x < rows) {
        for (int t = 0; t < count; ++t) {
            wait(&full, t & 1);
            const Row r = ld(own(d));
            wait_ld();
            arrive(&empty);
            out[t * rows + threadIdx.x] = sum(r);
        }
    } else if (threadIdx.x == rows) {
        for (int t = 0; t < count; ++t) {
            wait(&copied, t & 1);
            wait(&empty, (t & 1) ^ 1);
            mma_scaled(d, a, b, scales_a, scales_b); // <-- cause
            commit(&used);
            commit(&full);
        }
    } else if (threadIdx.x == rows + 32) {
        copy_scales(scales_b, ones);
        for (int t = 0; t < count; ++t) {
            arrive_expect(&loaded, scale_bytes);
            load(s, scales + t * scale_bytes, scale_bytes, &loaded);
            wait(&loaded, t & 1);
            copy_scales(scales_a, s); // <-- cause
            commit(&copied);
            wait(&copied, t & 1);
        }
    }
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    std::vector<uint8_t> scales;
    for (int t = 0; t < count; ++t)
        scales.insert(scales.end(), scale_bytes, uint8_t(127 + t));
    float* out = to_device(std::vector<float>(count * rows));
    multiply<<<1, 192>>>(to_device(scales), out);
    return verdict(out, count * rows, [](int i) { return float(32 * columns << i / rows); });
}
