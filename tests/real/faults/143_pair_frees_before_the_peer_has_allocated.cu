// source: cutlass#3435, tcgen05.dealloc.cta_group::2 before the other block's allocation is complete: the launch
//     fails 25 times out of 25
// cause: The block frees the columns of the pair while the other block may still be in the allocation.
// rule: tensor-memory-misused
#include "../blackwell.h"

// A pair without work leaves at once.
__global__ void __cluster_dims__(2) nothing(float* out) {
    __shared__ unsigned cells;
    cluster_sync();
    if (threadIdx.x < 32) {
        alloc<2>(&cells, 32);
        const unsigned d = cells;
        out[blockIdx.x * 32 + threadIdx.x] = 1;
        dealloc<2>(d, 32); // <-- cause
    }
}

int main() {
    float* out = to_device(std::vector<float>(64));
    nothing<<<2, 64>>>(out);
    return verdict(out, 64, [](int) { return 1.0f; });
}
