// why: two allocations, the larger one first, freed in the order in which they were made; the second one is used by
//     its own warp without a barrier
#include "../blackwell.h"

__global__ void pass(float* out) {
    __shared__ unsigned wide, narrow;
    if (threadIdx.x < 32) {
        alloc(&wide, 64);
        alloc(&narrow, 32);
        relinquish();
        st(narrow, __float_as_uint(float(threadIdx.x)));
        wait_st();
    }
    __syncthreads();
    st(own(wide), __float_as_uint(float(threadIdx.x)));
    wait_st();
    const Row r = ld(own(wide));
    wait_ld();
    float total = sum(r);
    if (threadIdx.x < 32) {
        const Row more = ld(narrow);
        wait_ld();
        total += sum(more);
    }
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32) {
        dealloc(wide, 64);
        dealloc(narrow, 32);
    }
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    pass<<<1, rows>>>(out);
    return verdict(out, rows, [](int i) { return float(columns * i * (i < 32 ? 2 : 1)); });
}
