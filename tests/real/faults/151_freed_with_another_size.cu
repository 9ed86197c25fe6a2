// source: flashinfer#4611, warps hang in the trap for unallocated columns being deallocated, and the dependent grid
//     waits for ever
// cause: The kernel frees as many columns as this launch uses instead of as many as it has allocated.
// rule: tensor-memory-misused
#include "../blackwell.h"

// The width comes with the launch, the allocation is for the largest one.
__global__ void pass(int width, float* out) {
    __shared__ unsigned cells;
    if (threadIdx.x < 32) {
        alloc(&cells, 128);
        relinquish();
    }
    __syncthreads();
    const unsigned d = own(cells);
    float total = 0;
    for (int c = 0; c < width; c += columns)
        st(d + c, __float_as_uint(float(threadIdx.x)));
    wait_st();
    for (int c = 0; c < width; c += columns)
        total += sum(ld(d + c));
    wait_ld();
    out[threadIdx.x] = total;
    __syncthreads();
    if (threadIdx.x < 32)
        dealloc(cells, width); // <-- cause
}

int main() {
    float* out = to_device(std::vector<float>(rows));
    pass<<<1, rows>>>(64, out);
    return verdict(out, rows, [](int i) { return float(64 * i); });
}
