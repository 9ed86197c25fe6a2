// why: each block wants all 512 columns, so blocks that share an SM wait in tcgen05.alloc until another one has freed
//     them
#include "../blackwell.h"

constexpr int blocks = 300;

__global__ void pass(float* out) {
    __shared__ unsigned cells;
    alloc(&cells, 512);
    relinquish();
    st(cells, __float_as_uint(float(blockIdx.x)));
    wait_st();
    const Row r = ld(cells);
    wait_ld();
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum(r);
    dealloc(cells, 512);
}

int main() {
    float* out = to_device(std::vector<float>(blocks));
    pass<<<blocks, 32>>>(out);
    return verdict(out, blocks, [](int i) { return float(columns * i); });
}
