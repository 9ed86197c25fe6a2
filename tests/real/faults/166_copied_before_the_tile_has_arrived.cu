// source: triton#6061, no barrier before tcgen05.cp reads a tile from shared memory
// cause: tcgen05.cp copies the scale factors without a wait for the bulk copy that brings them to shared memory.
// rule: missing-wait|overlapping-copies|read-before-completion
#include "../blackwell.h"

constexpr unsigned scale_bytes = 32 * 16;

__global__ void multiply(const uint8_t* scales, float* out) {
    __shared__ alignas(128) uint8_t a[tile_bytes], b[columns * 32], s[scale_bytes], ones[scale_bytes];
    __shared__ uint64_t loaded, done;
    __shared__ unsigned cells;
    for (unsigned i = threadIdx.x; i < tile_bytes; i += blockDim.x)
        a[i] = 0x38; // 1.0 of e4m3
    for (unsigned i = threadIdx.x; i < columns * 32; i += blockDim.x)
        b[i] = 0x38;
    for (unsigned i = threadIdx.x; i < scale_bytes; i += blockDim.x)
        ones[i] = 127; // 1.0 of ue8m0
    if (threadIdx.x == 0) {
        init(&loaded, 1);
        init(&done, 1);
        fence_init();
    }
    if (threadIdx.x < 32)
        alloc(&cells, 32);
    fence_async();
    __syncthreads();
    const unsigned d = cells, scales_a = cells + 16, scales_b = cells + 24;
    if (threadIdx.x == 0) {
        arrive_expect(&loaded, scale_bytes);
        load(s, scales, scale_bytes, &loaded);
        copy_scales(scales_a, s); // <-- cause
        copy_scales(scales_b, ones);
        mma_scaled(d, a, b, scales_a, scales_b);
        commit(&done);
    }
    wait(&done, 0);
    wait(&loaded, 0);
    const Row r = ld(own(d));
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(d, 32);
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    multiply<<<1, rows>>>(to_device(std::vector<uint8_t>(scale_bytes, 128)), out);
    return verdict(out, rows, [](int) { return float(2 * 32 * columns); });
}
