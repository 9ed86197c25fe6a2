// source: flashinfer#4533, a block-sparse kernel with more roles than before uses a named barrier whose number is out
//     of range, and hangs
// cause: The number of the named barrier grows with the warpgroup and exceeds 15, the last one that there is.
// rule: named-barrier
#include "../blackwell.h"

constexpr int groups = 5, each = 4;

// Each warpgroup of two warps has four barriers of its own.
__global__ void pass(float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32)
        alloc(&cells, 64);
    __syncthreads();
    const int group = threadIdx.x / 64, warp = threadIdx.x / 32;
    const unsigned d = own(cells) + warp / 4 * columns;
    st(d, __float_as_uint(float(threadIdx.x)));
    wait_st();
    bar_sync(group * each + 1, 64); // <-- cause
    const Row r = ld(d);
    wait_ld();
    out[threadIdx.x] = sum(r);
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, 64);
}

int main() {
    float* out = to_device(std::vector<float>(groups * 64));
    pass<<<1, groups * 64>>>(out);
    return verdict(out, groups * 64, [](int i) { return float(columns * i); });
}
