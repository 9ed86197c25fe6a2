// why: one thread copies the scale factors and multiplies without a commit in between: tcgen05.cp and tcgen05.mma
//     form a pipeline, and so do a product and the next copy over its factors
#include "../blackwell.h"

constexpr int count = 3;
constexpr unsigned scale_bytes = 32 * 16;

__global__ void multiply(float* out) {
    __shared__ alignas(128) uint8_t a[tile_bytes], b[columns * 32], s[count][scale_bytes];
    __shared__ uint64_t done;
    __shared__ unsigned cells;
    for (unsigned i = threadIdx.x; i < tile_bytes; i += blockDim.x)
        a[i] = 0x38; // 1.0 of e4m3
    for (unsigned i = threadIdx.x; i < columns * 32; i += blockDim.x)
        b[i] = 0x38;
    for (int t = 0; t < count; ++t)
        for (unsigned i = threadIdx.x; i < scale_bytes; i += blockDim.x)
            s[t][i] = 127 + t; // 2^t of ue8m0
    if (threadIdx.x == 0) {
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 64);
    fence_async();
    __syncthreads();
    const unsigned d = cells, scales_a = cells + 48, scales_b = cells + 56;
    if (threadIdx.x == 0) {
        copy_scales(scales_b, s[0]);
        for (int t = 0; t < count; ++t) {
            copy_scales(scales_a, s[t]);
            mma_scaled(d + t * columns, a, b, scales_a, scales_b);
        }
        commit(&done);
    }
    wait(&done, 0);
    float total = 0;
    for (int t = 0; t < count; ++t)
        total += sum(ld(own(d + t * columns)));
    wait_ld();
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 64);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(out);
    return verdict(out, rows, [](int) { return float(32 * columns * ((1 << count) - 1)); });
}
